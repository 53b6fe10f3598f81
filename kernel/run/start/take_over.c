// SPDX-License-Identifier: MIT
#include "start/take_over.h"

#include "arch/nmi.h"
#include "arch/paging.h"
#include "cpus/smp.h"
#include "clock/clock.h"
#include "console/console.h"
#include "display/framebuffer.h"
#include "console/text_screens.h"
#include "event/notices.h"
#include "event/trace.h"
#include "facts/describe.h"
#include "facts/machine_emit.h"
#include "interrupt/unexpected.h"
#include "io/fw_cfg.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "machine/error_sources.h"
#include "machine/inventory.h"
#include "machine/machine.h"
#include "machine/platform.h"
#include "machine/tables.h"
#include "mce/mca.h"
#include "options/words.h"
#include "self/probe.h"
#include "watchdog/watchdog.h"

void take_over_cpu(const struct boot_info *boot)
{
    paging_begin();       /* in place of the loader's page tables */
    console_begin(boot);  /* a panic is shown on any screen from here on */
    smp_start_boot_cpu(); /* its own tables: an exception is reported, and is no silent reset */
    unexpected_begin();
    nmi_begin();
    mca_enable();
    clock_begin();
}

static void append_words(struct fmt_buffer *all, const char *text)
{
    static struct word word;

    while (word_next(&text, &word))
        fmt_append(all, "%s%s", all->length ? " " : "", word.text);
}

static void note_wrong_word(void *ctx, const char *text)
{
    ++*(unsigned *)ctx;
    warn_print(&notices, "%s", text);
}

/* The words that QEMU was started with. */
static void read_qemu(char ret[BOOT_CMDLINE_MAX])
{
    if (fw_cfg_read_string("opt/okram/cmdline", ret, BOOT_CMDLINE_MAX) == STATUS_NO_SPACE)
        notice("the options given by QEMU are longer than %d bytes: the rest is ignored",
               BOOT_CMDLINE_MAX - 1);
}

unsigned read_options(const struct boot_info *boot, struct options *ret,
                      struct test_list *ret_tests, char ret_words[ALL_WORDS_MAX])
{
    static char qemu[BOOT_CMDLINE_MAX];
    unsigned n_wrong = 0;
    const struct warnings note = { note_wrong_word, &n_wrong };
    const char *const given[] = { boot->conf, boot->cmdline, qemu };
    struct fmt_buffer all = fmt_buffer_make(ret_words, ALL_WORDS_MAX);

    read_qemu(qemu);
    if (boot->truncated)
        notice("okram.conf or the boot command line is too long: the rest is ignored");
    options_set_defaults(ret);
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
        options_parse(ret, given[i], &note);
        append_words(&all, given[i]);
    }
    option_tests(ret, &note, ret_tests);
    if (ret_tests->is_stability && !ret->has_passes && !ret->cycles.wanted)
        ret->passes = 0;
    return boot->wrong_is_shown ? 0 : n_wrong;
}

void take_over_memory(const struct boot_info *boot, const struct options *options)
{
    const struct spans tested = { .span = (struct span *)options->range, .n = options->n_ranges };

    probe_begin(boot);      /* pages that the loader found bad are never used */
    machine_read_map(boot); /* which memory there is */
    smp_take_over();        /* from here on no other CPU runs firmware's code... */
    machine_stop_dma(boot); /* ...and no device writes to memory */
    machine_take_memory(boot, &tested, candidate_pages_check);
    tables_open(boot); /* for the date and the serial port */
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

void open_console(const struct boot_info *boot, const struct options *options)
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
    if (console_init(fb, pixels, turn[options->rotate], vga) != STATUS_OK)
        notice("the framebuffer (%ux%u, %u bits a pixel) cannot be drawn on", fb->width, fb->height,
               fb->bits_per_pixel);
    console_start(serial[options->serial]);
    trace_begin(options->trace);
}

void explore_machine(const struct boot_info *boot, const struct options *options)
{
    tables_read(boot);                   /* CPUs, nodes, modules, clocks, power */
    watchdogs_stop();                    /* none resets the machine meanwhile */
    watchdog_start(options->watchdog_s); /* but for the run's own */
    power_button_begin(&platform.power, &platform.power_button); /* it ends the run, as q does */
    error_sources_find();                           /* where firmware reports errors of memory */
    clock_calibrate(&platform.clocks);              /* the time stamp counter, by those clocks */
    machine_emit_identity(boot, options->identity); /* which run of which machine */
    describe_step("tables are read, clocks compared");
    inventory_read(options->spd); /* what modules say of themselves, and temperatures */
}
