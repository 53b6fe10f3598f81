// SPDX-License-Identifier: MIT
#include "options/options.h"

#include "acpi/uart_place.h"
#include "badram/cover.h"
#include "lib/fmt.h"
#include "lib/string.h"
#include "options/number.h"
#include "options/values.h"
#include "options/words.h"

/* Of a word that a warning shows. */
#define SHOWN_CHARS 60

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void options_set_defaults(struct options *ret_options)
{
    *ret_options = (struct options){
        .tests = "standard",
        .passes = 1,
        .nodes = { .all = true },
        .cpus = { .all = true },
        .max_patterns = 64,
        .lines = 1u << LINE_GRUB | 1u << LINE_MEMMAP,
        .bandwidth = OPTION_BANDWIDTH_QUICK,
        .bandwidth_runs = 5,
        .serial = OPTION_SERIAL_TEXT,
        .exit = OPTION_EXIT_WAIT,
        .after = OPTION_AFTER_AUTO,
        .save = true,
        .lowmem = OPTION_LOWMEM_TOLERATE,
        .isa = OPTION_ISA_AUTO,
        .fade_s = 60,
        .hammer_s = 60,
        .usb = true,
        .menu_s = 5,
    };
}

static bool set_text(char *to, size_t size, const char *value)
{
    if (strlen(value) >= size)
        return false;
    string_copy(to, value, size);
    return true;
}

static bool set_u32(uint32_t *to, const char *value, uint32_t min, uint32_t max)
{
    uint64_t n;

    if (!number_parse(value, min, max, &n))
        return false;
    *to = (uint32_t)n;
    return true;
}

static bool set_tests(struct options *o, const char *value)
{
    return *value && set_text(o->tests, sizeof(o->tests), value);
}

static bool set_march(struct options *o, const char *value)
{
    return set_text(o->march, sizeof(o->march), value);
}

static bool set_passes(struct options *o, const char *value)
{
    return set_u32(&o->passes, value, 0, UINT32_MAX);
}

static bool set_time(struct options *o, const char *value)
{
    uint64_t seconds;

    if (!number_read_time(&value, &seconds) || *value || seconds > OPTIONS_TIME_MAX_S)
        return false;
    o->time_s = seconds;
    return true;
}

static bool set_range(struct options *o, const char *value)
{
    return value_parse_spans(value, o->range, &o->n_ranges);
}

static bool set_nodes(struct options *o, const char *value)
{
    return value_parse_ids(value, &o->nodes);
}

static bool set_cpus(struct options *o, const char *value)
{
    return value_parse_ids(value, &o->cpus);
}

static bool set_patterns(struct options *o, const char *value)
{
    return set_u32(&o->max_patterns, value, 1, COVER_PATTERNS_MAX);
}

static bool set_ranges(struct options *o, const char *value)
{
    if (strcmp(value, "auto") == 0) {
        o->max_ranges = 0;
        return true;
    }
    return set_u32(&o->max_ranges, value, 1, UINT32_MAX);
}

static bool set_lines(struct options *o, const char *value)
{
    if (!value_parse_lines(value, &o->lines))
        return false;
    o->has_lines = true;
    return true;
}

static bool set_bandwidth(struct options *o, const char *value)
{
    static const char *const words[] = { "off", "quick", "full" };
    unsigned i;

    if (!value_parse_word(value, words, COUNT(words), &i))
        return false;
    o->bandwidth = (enum option_bandwidth)i;
    return true;
}

static bool set_bandwidth_runs(struct options *o, const char *value)
{
    return set_u32(&o->bandwidth_runs, value, 1, OPTIONS_RUNS_MAX);
}

static bool set_serial(struct options *o, const char *value)
{
    static const char *const words[] = { "text", "ui", "jsonl", "off" };
    unsigned i;

    if (!value_parse_word(value, words, COUNT(words), &i))
        return false;
    o->serial = (enum option_serial)i;
    return true;
}

static bool set_port(struct options *o, enum option_serial_port port, uint64_t address)
{
    o->serial_port = port;
    o->serial_address = address;
    return true;
}

static bool set_serial_port(struct options *o, const char *value)
{
    static const char *const words[] = { "auto", "spcr", "dbg2", "pci",
                                         "com1", "com2", "com3", "com4" };
    static const enum option_serial_port ports[] = {
        OPTION_PORT_AUTO, OPTION_PORT_SPCR, OPTION_PORT_DBG2, OPTION_PORT_PCI,
        OPTION_PORT_COM,  OPTION_PORT_COM,  OPTION_PORT_COM,  OPTION_PORT_COM,
    };
    uint64_t address;
    unsigned i;

    if (value_parse_word(value, words, COUNT(words), &i))
        return set_port(o, ports[i], i < 4 ? 0 : i - 3);
    if (strncmp(value, "mmio:", 5) == 0)
        return number_parse(value + 5, 1, UINT64_MAX >> 12, &address) &&
               set_port(o, OPTION_PORT_MEMORY, address);
    return number_parse(value, 0, UINT16_MAX, &address) && uart_io_is_possible(address) &&
           set_port(o, OPTION_PORT_IO, address);
}

static bool set_serial_baud(struct options *o, const char *value)
{
    static const char *const words[] = { "1200",  "2400",  "4800",  "9600",
                                         "19200", "38400", "57600", "115200" };
    static const uint32_t bauds[] = { 1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200 };
    unsigned i;

    if (!value_parse_word(value, words, COUNT(words), &i))
        return false;
    o->serial_baud = bauds[i];
    return true;
}

static bool set_exit(struct options *o, const char *value)
{
    static const char *const words[] = { "wait", "reboot", "poweroff", "qemu" };
    unsigned i;

    if (!value_parse_word(value, words, COUNT(words), &i))
        return false;
    o->exit = (enum option_exit)i;
    return true;
}

static bool set_after(struct options *o, const char *value)
{
    static const char *const words[] = { "stay", "next" };
    unsigned i;

    if (!value_parse_word(value, words, COUNT(words), &i))
        return false;
    o->after = (enum option_after)(OPTION_AFTER_STAY + i);
    return true;
}

static bool set_save(struct options *o, const char *value)
{
    static const char *const words[] = { "off", "on" };
    unsigned i;

    if (!value_parse_word(value, words, COUNT(words), &i))
        return false;
    o->save = i == 1;
    return true;
}

static bool set_isa(struct options *o, const char *value)
{
    static const char *const words[] = { "auto", "scalar", "sse2", "avx2", "avx512" };
    unsigned i;

    if (!value_parse_word(value, words, COUNT(words), &i))
        return false;
    o->isa = (enum option_isa)i;
    return true;
}

static bool set_rotate(struct options *o, const char *value)
{
    static const char *const words[] = { "0", "90", "180", "270" };
    unsigned i;

    if (!value_parse_word(value, words, COUNT(words), &i))
        return false;
    o->rotate = (enum option_rotate)i;
    return true;
}

static bool set_beep(struct options *o, const char *value)
{
    static const char *const words[] = { "off", "on" };
    unsigned i;

    if (!value_parse_word(value, words, COUNT(words), &i))
        return false;
    o->beep = i;
    return true;
}

static bool set_seed(struct options *o, const char *value)
{
    if (!number_parse(value, 0, UINT64_MAX, &o->seed))
        return false;
    o->has_seed = true;
    return true;
}

/* A time of at least a second, and at most a day. */
static bool set_seconds(uint32_t *seconds, const char *value)
{
    uint64_t number;

    if (!number_parse(value, 0, OPTIONS_SECONDS_MAX, &number) &&
        (!number_read_time(&value, &number) || *value))
        return false;
    if (number < 1 || number > OPTIONS_SECONDS_MAX)
        return false;
    *seconds = (uint32_t)number;
    return true;
}

static bool set_fade(struct options *o, const char *value)
{
    return set_seconds(&o->fade_s, value);
}

static bool set_hammer(struct options *o, const char *value)
{
    return set_seconds(&o->hammer_s, value);
}

static bool set_usb(struct options *o, const char *value)
{
    static const char *const words[] = { "off", "on" };
    unsigned i;

    if (!value_parse_word(value, words, COUNT(words), &i))
        return false;
    o->usb = i;
    return true;
}

static bool set_lowmem(struct options *o, const char *value)
{
    static const char *const words[] = { "tolerate", "test", "skip" };
    unsigned i;

    if (strcmp(value, "apart") == 0) /* its first name */
        value = words[OPTION_LOWMEM_TOLERATE];
    if (!value_parse_word(value, words, COUNT(words), &i))
        return false;
    o->lowmem = (enum option_lowmem)i;
    return true;
}

static bool set_acpimem(struct options *o, const char *value)
{
    static const char *const words[] = { "skip", "test" };
    unsigned i;

    if (!value_parse_word(value, words, COUNT(words), &i))
        return false;
    o->acpimem = i;
    return true;
}

static bool set_support(struct options *o, const char *value)
{
    static const char *const words[] = { "off", "on" };
    unsigned i;

    if (!value_parse_word(value, words, COUNT(words), &i))
        return false;
    o->support = i;
    return true;
}

static bool set_menu(struct options *o, const char *value)
{
    return set_u32(&o->menu_s, value, 0, OPTIONS_SECONDS_MAX);
}

#define TEXT_OF(x) #x
#define DECIMAL(x) TEXT_OF(x)

static const struct {
    const char *key;
    bool (*set)(struct options *o, const char *value); /* false: malformed, nothing changed */
    const char *expected;
} known[] = {
    { "tests", set_tests, "quick, standard, thorough or a list of test names" },
    { "march", set_march, "a march test such as {any(w0);up(r0,w1);down(r1,w0)}" },
    { "passes", set_passes, "a number of passes, 0 for unlimited" },
    { "time", set_time, "a time such as 90s, 15m, 8h or 2d, up to 10000 days" },
    { "range", set_range,
      "all or at most " DECIMAL(OPTIONS_RANGES_MAX) " START-END such as 1M-0x40000000,4G-6G" },
    { "nodes", set_nodes, "all or a list such as 0,2-5" },
    { "cpus", set_cpus, "all or a list such as 0,2-5" },
    { "patterns", set_patterns, "a number from 1 to " DECIMAL(COVER_PATTERNS_MAX) },
    { "ranges", set_ranges, "auto or a number, at least 1" },
    { "lines", set_lines,
      "all or a list of grub, grub-default, cutmem, memmap, memmap-dollar, windows, xen, freebsd, "
      "refind, pages, ranges" },
    { "bandwidth", set_bandwidth, "off, quick or full" },
    { "bandwidth.runs", set_bandwidth_runs, "a number from 1 to " DECIMAL(OPTIONS_RUNS_MAX) },
    { "serial", set_serial, "text, ui, jsonl or off" },
    { "serial.port", set_serial_port,
      "auto, com1, com2, com3, com4, spcr, dbg2, pci, an I/O port from 0x100 to 0xfff8 such as "
      "0x3e0, or mmio: and an address" },
    { "serial.baud", set_serial_baud, "1200, 2400, 4800, 9600, 19200, 38400, 57600 or 115200" },
    { "exit", set_exit, "wait, reboot, poweroff or qemu" },
    { "after", set_after, "stay or next" },
    { "save", set_save, "on or off" },
    { "lowmem", set_lowmem, "tolerate, test or skip" },
    { "acpimem", set_acpimem, "skip or test" },
    { "isa", set_isa, "auto, scalar, sse2, avx2 or avx512" },
    { "rotate", set_rotate, "0, 90, 180 or 270" },
    { "beep", set_beep, "on or off" },
    { "seed", set_seed, "a number" },
    { "fade", set_fade, "a number of seconds or a time such as 90s or 5m, up to a day" },
    { "hammer", set_hammer, "a number of seconds or a time such as 90s or 5m, up to a day" },
    { "usb", set_usb, "on or off" },
    { "support", set_support, "on or off" },
    { "menu", set_menu,
      "a number of seconds up to " DECIMAL(OPTIONS_SECONDS_MAX) ", 0 for no menu" },
};

static void warn_unknown(const char *key, const struct warnings *warnings)
{
    char text[WARNING_TEXT_MAX];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    for (size_t i = 0; i < COUNT(known); i++)
        fmt_append(&b, " %s", known[i].key);
    warn_print(warnings, "option %.*s is unknown and ignored; valid options are%s", SHOWN_CHARS,
               key, text);
}

static void apply(struct options *o, struct word *w, const struct warnings *warnings)
{
    char *equals = strchr(w->text, '=');
    const char *value;

    if (!equals) {
        warn_print(warnings, "option %.*s is ignored: expected key=value", SHOWN_CHARS, w->text);
        return;
    }
    *equals = 0;
    value = equals + 1;
    for (size_t i = 0; i < COUNT(known); i++) {
        if (strcmp(w->text, known[i].key) != 0)
            continue;
        if (w->too_long || w->unclosed || !known[i].set(o, value))
            warn_print(warnings, "option %s=%.*s is ignored: %sexpected %s", w->text, SHOWN_CHARS,
                       value,
                       w->too_long   ? "it is too long; "
                       : w->unclosed ? "its quote is not closed; "
                                     : "",
                       known[i].expected);
        return;
    }
    warn_unknown(w->text, warnings);
}

void options_parse(struct options *options, const char *text, const struct warnings *warnings)
{
    struct word word;

    while (word_next(&text, &word)) {
        if (!word_is_path(word.text))
            apply(options, &word, warnings);
    }
}
