// SPDX-License-Identifier: MIT
/*
 * A run from start to end: takes over and explores the machine, measures and tests its memory, and
 * sends the result.
 */
#include "arch/arch.h"
#include "arch/nmi.h"
#include "arch/paging.h"
#include "arch/panic.h"
#include "arch/smp.h"
#include "arch/tsc.h"
#include "boot/kernel_main.h"
#include "calibration/memory_types.h"
#include "calibration/selection.h"
#include "clock/clock.h"
#include "console/console.h"
#include "console/framebuffer.h"
#include "console/text_screens.h"
#include "cpus/cpu_clocks.h"
#include "cpus/start.h"
#include "cpus/survey.h"
#include "faults/channels.h"
#include "cover/cover_emit.h"
#include "ecc/cper_emit.h"
#include "facts/describe.h"
#include "verdict/diagnose.h"
#include "verdict/verdict.h"
#include "faults/fault_emit.h"
#include "facts/identity_emit.h"
#include "facts/machine_emit.h"
#include "ecc/mce_emit.h"
#include "progress/progress.h"
#include "progress/ram_map.h"
#include "event/notices.h"
#include "event/trace.h"
#include "interrupt/unexpected.h"
#include "io/fw_cfg.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "loop/keys.h"
#include "loop/leave.h"
#include "loop/poll.h"
#include "machine/error_sources.h"
#include "machine/inventory.h"
#include "machine/machine.h"
#include "machine/tables.h"
#include "machine/uefi_runtime.h"
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
#include "watchdog/watchdog.h"

/* How long the screen says that options are wrong, before the tests begin. */
#define WRONG_OPTIONS_US 10000000

static struct options options;
static struct shares shares;     /* of the memory under test */
static struct diagnose diagnose; /* this run as one of a guided diagnosis */
static unsigned n_wrong_words;   /* of the options */
static char cmdline[BOOT_CONF_MAX + 2 * BOOT_CMDLINE_MAX];

/* The boot CPU's own tables: from here on an exception is reported, and not a silent reset. */
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

static void note_wrong_word(void *ctx, const char *text)
{
    n_wrong_words++;
    warn_print(&notices, "%s", text);
}

static void count_wrong_word(void *ctx, const char *text)
{
    n_wrong_words++;
}

/* okram.conf, then the boot command line, then `okram run`'s: later ones win. */
static void read_options(const struct boot_info *boot)
{
    static const struct warnings note = { note_wrong_word, NULL },
                                 count = { count_wrong_word, NULL };
    static char qemu[BOOT_CMDLINE_MAX];
    static struct test_list tests;
    struct fmt_buffer all = fmt_buffer_make(cmdline, sizeof(cmdline));

    if (fw_cfg_read_string("opt/okram/cmdline", qemu, sizeof(qemu)) == STATUS_NO_SPACE)
        notice("the options given by QEMU are longer than %zu bytes: the rest is ignored",
               sizeof(qemu) - 1);
    if (boot->truncated)
        notice("okram.conf or the boot command line is too long: the rest is ignored");
    options_set_defaults(&options);
    options_parse(&options, boot->conf, &note);
    options_parse(&options, boot->cmdline, &note);
    options_parse(&options, qemu, &note);
    option_tests(&options, &count, &tests); /* warns when the tests are chosen */
    if (boot->wrong_is_shown)
        n_wrong_words = 0;
    append_words(&all, boot->conf);
    append_words(&all, boot->cmdline);
    append_words(&all, qemu);
}

/* NULL: there is no framebuffer that can be used. */
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
        notice("the framebuffer at 0x%lx-0x%lx is in memory under test: it is not used, and "
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
        notice("the framebuffer (%ux%u, %u bits a pixel) cannot be drawn on", fb->width, fb->height,
               fb->bits_per_pixel);
    console_start(serial[options.serial]);
    events_send_to(console_receive);
    trace_begin(options.trace);
}

/* Short, so that a person can type it. */
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

/* A page that is not tested: UEFI's runtime services write to it. */
static void begin_uefi(const struct boot_info *boot)
{
    machine.uefi_page = uefi_runtime_begin(boot->efi_system_table, (uint32_t)boot->efi_services,
                                           &machine.map, options.acpimem);
}

/*
 * What is tested. All memory that okram needs is taken now, each part as soon as its size is known.
 * Assertions check the order: what takes memory needs the plan's sizes (plan_allocate), and nothing
 * is taken after arena_close.
 */
static void plan_run(const struct boot_info *boot)
{
    keys_begin(boot, &options);  /* USB controllers write to some pages, which are not tested */
    begin_uefi(boot);            /* so do firmware's services, to one */
    limits_make(boot, &options); /* of the line for GRUB */
    plan_make(&options);         /* what RAM is tested, and why the rest is not */
    log_memory_begin();          /* the fault log, with a size for that */
    cover_emit_begin();          /* the badram line, also in a panic */
    self_check_begin();          /* checksums of okram's code, before anything is tested */
    plan_allocate();             /* the pieces, which okram's place cuts: most of it is known now */
    share_prepare(&shares);      /* who tests what */
    tested_prepare();            /* what has been tested */
    unpaired_prepare();          /* and what was not tested together with the rest */
    move_prepare();              /* okram's other places */
    passes_prepare();            /* and the places of a march in three legs */
    own_aliases_prepare();       /* the search for aliases of all pages that okram has */
    ram_map_begin();             /* the picture of all RAM on the screen */
    arena_close();
    share_main(&shares);
}

/* Before hours are spent on the wrong test. With exit=qemu a program reads the warnings. */
static void show_wrong_options(void)
{
    if (!n_wrong_words || options.exit == OPTION_EXIT_QEMU)
        return;
    progress_phase(PROGRESS_WRONG_OPTIONS, 0, "", 0, 0);
    poll_for(WRONG_OPTIONS_US);
}

/* With all CPUs, including one that may still be in firmware. */
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
    struct pass_limits limits;
    struct diagnose_found found;
    struct run_done done;
    enum leave_code code;

    sign_key_take(boot);              /* out of the boot information, before okram moves */
    tsc_start();                      /* the run has begun */
    panic_hooks.show = console_panic; /* a panic is shown, too... */
    paging_begin();                   /* takes over the loader's page tables */
    console_begin(boot);              /* ...on any screen, from here on */
    take_over_cpu();                  /* exceptions, NMIs and machine checks are reported */
    clock_begin();

    read_options(boot);
    leave_prepare(&options); /* how the run ends, also with a panic */
    probe_begin(boot);       /* pages that the loader found bad are never used */
    machine_read_map(boot);  /* which memory there is */
    smp_take_over();         /* from here on no other CPU runs firmware's code... */
    machine_stop_dma(boot);  /* ...and no device writes to memory */
    machine_take_memory(boot, &(struct spans){ .span = options.range, .n = options.n_ranges },
                        candidate_pages_check);
    tables_open(boot);            /* ACPI's list of tables, for the date and the serial port */
    saving_begin(boot, &options); /* before the first event */
    serial_ports_choose(&options, machine.is_locked);
    start_console(boot);               /* from here on there is a screen */
    machine_emit_start(boot, cmdline); /* and a report */
    describe_step("the screen is on");

    tables_read(boot); /* CPUs, nodes, modules, clocks, power */
    watchdogs_stop();  /* none resets the machine meanwhile */
    power_button_begin(&machine.power, &machine.power_button); /* it ends the run, as q does */
    error_sources_find();                  /* where firmware reports errors of memory */
    clock_calibrate(&machine.clocks);      /* the time stamp counter, by those clocks */
    identity_emit(boot, options.identity); /* which run of which machine */
    describe_step("tables are read, clocks compared");
    inventory_read(options.spd); /* what modules say of themselves, and temperatures */
    diagnose_begin(&diagnose, &options, machine.slots, &inventory_get()->modules, &notices);
    describe_step("memory modules are read");
    describe_firmware(boot); /* while its tables are intact */
    start_cpus(poll_due, diagnose_exception);
    machine_make_nodes(); /* needs the running CPUs */
    describe_step("CPUs are started");

    prepare_run();  /* takes memory by the number of CPUs */
    plan_run(boot); /* and by what is tested, the last that is taken */
    poll_begin(console_poll_key, console_ask_report); /* keys are answered from here on */
    survey_take();                                    /* what all CPUs have */
    describe_step("the run is planned");
    move_out_of_range(&shares); /* to where range= and nodes= leave memory untested */
    mce_emit_begin();           /* machine checks become events, and are logged */
    cper_emit_begin();          /* and firmware's reports */
    describe_step("okram is in its place");
    cpu_clocks_compare(); /* whether times of two CPUs can be compared */
    describe_step("the CPUs' clocks are compared");
    selection_make(&shares, &options); /* tests and instructions, by measurement */
    probe_use(selection.ops);
    memory_types_report(&shares, selection.ops);
    saving_start(); /* saves that a run has begun */
    describe_step("instructions are chosen");
    fault_emit_begin();
    channels_begin(&options);
    machine_emit(); /* the machine, now that all is known about it */
    describe_send(&options);
    fault_emit_own_aliases(0); /* those found while instructions were chosen */

    show_wrong_options();
    measure(); /* bandwidth and latency */
    describe_step("the tests begin");
    fault_emit_own_aliases(0);
    page_search_begin(); /* the pages of errors without an address */
    limits = (struct pass_limits){ options.passes, diagnose_enough(&diagnose) };
    done = passes_run(&shares, limits, options.has_seed ? options.seed : fresh_seed());

    retest_bad_pages(&shares, &done, &found); /* again bad? what kind of fault is it? */
    diagnose_end(&diagnose, &done, &found, &notices);
    code = verdict_emit(&options, done, &found.kind, &diagnose, saving_keeps());
    if (options.beep)
        console_beep(code == LEAVE_CLEAN    ? CONSOLE_BEEP_PASS
                     : code == LEAVE_FAULTY ? CONSOLE_BEEP_FAIL
                                            : CONSOLE_BEEP_OTHER);
    poll_take_restart(); /* from here on a key restarts the machine */
    saving_finish();     /* the whole report */
    leave(&options, code);
}
