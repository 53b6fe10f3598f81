// SPDX-License-Identifier: MIT
/*
 * A run from its start to its end: the machine is taken over and explored, its memory is measured
 * and tested, and the result is sent.
 */
#include "arch/arch.h"
#include "arch/nmi.h"
#include "arch/paging.h"
#include "arch/panic.h"
#include "arch/tsc.h"
#include "boot/kernel_main.h"
#include "calibration/memory_types.h"
#include "calibration/selection.h"
#include "clock/clock.h"
#include "console/beep.h"
#include "console/console.h"
#include "console/framebuffer.h"
#include "console/vga_text.h"
#include "cpus/cpu_clocks.h"
#include "cpus/start.h"
#include "cpus/survey.h"
#include "emit/cover_emit.h"
#include "emit/cper_emit.h"
#include "emit/describe.h"
#include "emit/emit.h"
#include "emit/fault_emit.h"
#include "emit/mce_emit.h"
#include "emit/progress.h"
#include "event/notices.h"
#include "event/trace.h"
#include "interrupt/unexpected.h"
#include "io/fw_cfg.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "loop/leave.h"
#include "loop/poll.h"
#include "machine/error_sources.h"
#include "machine/machine.h"
#include "machine/stop_dma.h"
#include "machine/tables.h"
#include "mce/mca.h"
#include "measure/bandwidth.h"
#include "memory/arena.h"
#include "memory/sign_key.h"
#include "options/options.h"
#include "options/words.h"
#include "plan/limits.h"
#include "plan/lost_cpus.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "plan/tested.h"
#include "plan/unpaired.h"
#include "saver/saving.h"
#include "self/blame.h"
#include "self/candidate_pages.h"
#include "self/log_memory.h"
#include "self/move.h"
#include "self/own_aliases.h"
#include "self/probe.h"
#include "self/self_check.h"
#include "serial/serial_ports.h"
#include "testing/page_search.h"
#include "testing/passes.h"
#include "testing/retest.h"
#include "usb/usb.h"

static struct options options;
static struct shares shares; /* of the memory that is tested now */
static char cmdline[BOOT_CONF_MAX + 2 * BOOT_CMDLINE_MAX];

/* The boot CPU's own tables; from here on an exception is reported, not a silent reset. */
static void take_over_cpu(void)
{
    arch_start_boot_cpu();
    unexpected_begin();
    nmi_begin();
    mca_enable();
}

/* For the report: the words, without comments and line ends. */
static void append_words(struct fmt_buffer *all, const char *text)
{
    static struct word word;

    while (word_next(&text, &word))
        fmt_append(all, "%s%s", all->length ? " " : "", word.text);
}

/* okram.conf, then the boot command line, then `okram run`'s: later ones win. */
static void read_options(const struct boot_info *boot)
{
    static char qemu[BOOT_CMDLINE_MAX];
    struct fmt_buffer all = fmt_buffer_make(cmdline, sizeof(cmdline));

    if (fw_cfg_read_string("opt/okram/cmdline", qemu, sizeof(qemu)) == STATUS_NO_SPACE)
        warn_print(&notices,
                   "the options given by QEMU are longer than %zu bytes: the rest is ignored",
                   sizeof(qemu) - 1);
    if (boot->truncated)
        warn_print(&notices,
                   "okram.conf or the boot command line is too long: the rest is ignored");
    options_set_defaults(&options);
    options_parse(&options, boot->conf, &notices);
    options_parse(&options, boot->cmdline, &notices);
    options_parse(&options, qemu, &notices);
    append_words(&all, boot->conf);
    append_words(&all, boot->cmdline);
    append_words(&all, qemu);
}

/* NULL: there is none that can be used. */
static void *map_framebuffer(const struct boot_framebuffer *fb)
{
    uint64_t bytes = (uint64_t)fb->pitch * fb->height;
    uint64_t limit = min_u64(DIRECT_SIZE, UINT64_C(1) << min_u64(machine.cpu.physical_bits, 63));

    if (!fb->base)
        return NULL;
    if (!framebuffer_is_possible(fb, limit)) {
        warn_print(
            &notices,
            "a framebuffer of %lu MiB at 0x%lx is impossible: it is not used, and the screen "
            "shows nothing",
            (unsigned long)(bytes >> 20), (unsigned long)fb->base);
        return NULL;
    }
    if (framebuffer_is_in_memory(fb, &machine.map)) {
        warn_print(&notices,
                   "the framebuffer at 0x%lx-0x%lx is in memory under test: it is not used, and "
                   "the screen shows nothing",
                   (unsigned long)fb->base, (unsigned long)(fb->base + bytes - 1));
        return NULL;
    }
    return paging_map_direct(fb->base, bytes, PAGING_WRITE | PAGING_WRITE_COMBINING);
}

static void start_console(const struct boot_info *boot)
{
    static const enum console_serial serial[] = {
        [OPTION_SERIAL_TEXT] = CONSOLE_SERIAL_TEXT,
        [OPTION_SERIAL_UI] = CONSOLE_SERIAL_UI,
        [OPTION_SERIAL_JSONL] = CONSOLE_SERIAL_JSONL,
        [OPTION_SERIAL_OFF] = CONSOLE_SERIAL_OFF,
    };
    static const enum framebuffer_turn turn[] = {
        [OPTION_ROTATE_0] = FRAMEBUFFER_TURN_0,
        [OPTION_ROTATE_90] = FRAMEBUFFER_TURN_90,
        [OPTION_ROTATE_180] = FRAMEBUFFER_TURN_180,
        [OPTION_ROTATE_270] = FRAMEBUFFER_TURN_270,
    };
    const struct boot_framebuffer *fb = &boot->framebuffer;
    void *pixels = map_framebuffer(fb), *vga = NULL;

    if (boot->vga_text)
        vga = paging_map_direct(VGA_TEXT_PHYS, PAGE_SIZE, PAGING_WRITE | PAGING_UNCACHED);
    if (console_init(fb, pixels, turn[options.rotate], vga) != STATUS_OK)
        warn_print(&notices, "the framebuffer (%ux%u, %u bits a pixel) cannot be drawn on",
                   fb->width, fb->height, fb->bits_per_pixel);
    console_start(serial[options.serial]);
    events_send_to(console_receive);
    trace_begin(options.trace);
}

/* Short, so that a person can give it back. */
static uint64_t fresh_seed(void)
{
    return tsc_now() % UINT32_MAX;
}

static void prepare_run(void)
{
    progress_begin(&options, machine.n_cpus);
    probe_use_all_cpus();
    cpu_clocks_prepare();
    survey_prepare();
    bandwidth_prepare(&options);
}

/* What is tested. All memory that okram needs is taken now, each part as soon as its size is known.
 */
static void plan_run(const struct boot_info *boot)
{
    if (options.usb) {
        usb_begin();
        console_add_keyboard(usb_read_key);
    }
    limits_make(boot, &options);
    plan_make(&options);
    log_memory_begin();
    cover_emit_begin();
    self_check_begin();
    plan_allocate();
    share_prepare(&shares);
    tested_prepare();
    unpaired_prepare();
    move_prepare();
    passes_prepare();
    own_aliases_prepare();
    arena_close();
    share_main(&shares);
}

/* By all CPUs, also the one that firmware may still keep. */
static void measure(void)
{
    if (options.bandwidth == OPTION_BANDWIDTH_OFF)
        return;
    saving_wait();
    if (lost_cpus_any())
        lost_cpus_drop(&shares);
    progress_phase("bandwidth", 0, "", 0, 0);
    bandwidth_measure(&shares, &options);
}

_Noreturn void kernel_main(struct boot_info *boot)
{
    enum leave_code code;
    struct run_done done;

    sign_key_take(boot);
    tsc_start();
    panic_set_show(console_panic);
    paging_begin();
    console_begin(boot);
    take_over_cpu();
    clock_begin();

    read_options(boot);
    leave_prepare(&options);
    probe_begin(boot);
    machine_read_map(boot);
    stop_dma(boot);
    machine_take_memory(boot, options.range, options.n_ranges, candidate_pages_check);
    saving_begin(boot, &options);
    tables_open(boot);
    serial_ports_choose(&options, machine.is_locked);
    start_console(boot);
    emit_start(boot, cmdline);
    describe_step("the screen is on");

    tables_read(boot);
    error_sources_find();
    clock_calibrate(&machine.clocks);
    describe_step("tables are read, clocks compared");
    describe_firmware(boot);
    start_cpus(poll_due, diagnose_exception);
    machine_make_nodes();
    describe_step("CPUs are started");

    prepare_run();
    plan_run(boot);
    poll_begin(console_poll_key, console_ask_report);
    survey_take();
    describe_step("the run is planned");
    move_out_of_range(&shares);
    mce_emit_begin();
    cper_emit_begin();
    describe_step("okram is in its place");
    cpu_clocks_compare();
    describe_step("the CPUs' clocks are compared");
    selection_make(&shares, &options);
    probe_use(selection.ops);
    memory_types_report(&shares, selection.ops);
    saving_start();
    describe_step("instructions are chosen");
    fault_emit_begin();
    emit_machine();
    describe_send(&options);
    fault_emit_own_aliases(0);

    measure();
    describe_step("the tests begin");
    fault_emit_own_aliases(0);
    page_search_begin();
    done = passes_run(&shares, options.passes, options.has_seed ? options.seed : fresh_seed());

    retest_bad_pages(&shares);
    code = emit_result(&options, done);
    if (options.beep)
        beep(code == LEAVE_CLEAN ? BEEP_PASS : code == LEAVE_FAULTY ? BEEP_FAIL : BEEP_OTHER);
    poll_take_restart();
    saving_finish();
    leave(&options, code);
}
