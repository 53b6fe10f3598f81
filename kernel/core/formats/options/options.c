// SPDX-License-Identifier: MIT
#include "options/options.h"

#include "acpi/uart_place.h"
#include "lib/fmt.h"
#include "lib/panic.h"
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
        .identity = OPTION_IDENTITY_BOARD,
        .lowmem = OPTION_LOWMEM_TOLERATE,
        .isa = OPTION_ISA_AUTO,
        .fade_s = 60,
        .hammer_s = 60,
        .hot = OPTIONS_DEGREES_AUTO,
        .spd = true,
        .usb = OPTION_USB_AUTO,
        .menu_s = 5,
    };
}

struct option {
    const char *key;
    /* False: the value is malformed, and nothing is changed. */
    bool (*set)(void *member, const struct option *option, const char *value);
    const char *expected;
    size_t offset, size; /* of the member of struct options */
    uint64_t min, max;   /* of a number, or of the characters of a text */
    size_t n_words;
    const char *const *word; /* in the order of the member's values */
};

static bool set_text(void *text, const struct option *option, const char *value)
{
    if (strlen(value) < option->min || strlen(value) >= option->size)
        return false;
    string_copy(text, value, option->size);
    return true;
}

static bool set_number(void *number, const struct option *option, const char *value)
{
    uint64_t n;

    if (!number_parse(value, option->min, option->max, &n))
        return false;
    *(uint32_t *)number = (uint32_t)n;
    return true;
}

static bool set_passes(void *options, const struct option *option, const char *value)
{
    struct options *o = options;

    if (!set_number(&o->passes, option, value))
        return false;
    o->has_passes = true;
    return true;
}

/*
 * The number, or okram's word for how far it is, which the same number leaves as it is. The word
 * after the last start asks for as many again.
 */
static bool set_cycles(void *cycles, const struct option *option, const char *value)
{
    struct cycles read, *c = cycles;

    if (!cycles_read(value, &read))
        return false;
    if (!cycles_left(&read))
        read = (struct cycles){ .wanted = read.wanted, .cold = read.cold };
    if (read.wanted != c->wanted || strchr(value, '-'))
        *c = read;
    return true;
}

static bool set_number_or_auto(void *number, const struct option *option, const char *value)
{
    if (strcmp(value, "auto") != 0)
        return set_number(number, option, value);
    *(uint32_t *)number = 0;
    return true;
}

static bool set_seconds(void *seconds, const struct option *option, const char *value)
{
    uint64_t n;

    if (!number_read_time(&value, &n) || *value || n < option->min || n > option->max)
        return false;
    if (option->size == sizeof(uint64_t))
        *(uint64_t *)seconds = n;
    else
        *(uint32_t *)seconds = (uint32_t)n;
    return true;
}

static bool set_watchdog(void *seconds, const struct option *option, const char *value)
{
    if (strcmp(value, "off") != 0)
        return set_seconds(seconds, option, value);
    *(uint32_t *)seconds = 0;
    return true;
}

static bool set_ids(void *ids, const struct option *option, const char *value)
{
    return value_parse_ids(value, ids);
}

/* An enum or a bool. */
static bool set_word(void *choice, const struct option *option, const char *value)
{
    unsigned i;

    if (!value_parse_word(value, option->word, option->n_words, &i))
        return false;
    if (option->size == sizeof(bool))
        *(bool *)choice = i;
    else
        *(unsigned *)choice = i;
    return true;
}

static bool set_lowmem(void *lowmem, const struct option *option, const char *value)
{
    return set_word(lowmem, option, strcmp(value, "apart") == 0 ? "tolerate" : value);
}

/* A few numbers, as words. */
static bool set_baud(void *baud, const struct option *option, const char *value)
{
    unsigned i;

    return value_parse_word(value, option->word, option->n_words, &i) &&
           set_number(baud, option, value);
}

static bool set_range(void *options, const struct option *option, const char *value)
{
    struct options *o = options;

    return value_parse_spans(value, o->range, &o->n_ranges);
}

static bool set_lines(void *options, const struct option *option, const char *value)
{
    struct options *o = options;

    if (!value_parse_lines(value, &o->lines))
        return false;
    o->has_lines = true;
    return true;
}

/* Degrees, or a word that option->word lists, at the beginning of *value; goes on after it. */
static bool read_degrees(const char **value, const struct option *option, uint32_t *ret_degrees)
{
    static const uint32_t meant[] = { OPTIONS_DEGREES_AUTO, OPTIONS_DEGREES_OFF,
                                      OPTIONS_DEGREES_MOST };
    const char *comma = strchr(*value, ',');
    size_t n = comma ? (size_t)(comma - *value) : strlen(*value);
    char text[8];
    uint64_t number;
    unsigned i;

    if (n >= sizeof(text))
        return false;
    string_copy(text, *value, n + 1);
    *value += n;
    if (value_parse_word(text, option->word, option->n_words, &i)) {
        *ret_degrees = meant[i];
        return true;
    }
    if (!number_parse(text, OPTIONS_DEGREES_MIN, OPTIONS_DEGREES_MAX, &number))
        return false;
    *ret_degrees = (uint32_t)number;
    return true;
}

/* Of modules, and after a comma of CPUs; off alone is for both. */
static bool set_temperature_max(void *options, const struct option *option, const char *value)
{
    struct options *o = options;
    uint32_t module, cpu = OPTIONS_DEGREES_AUTO;

    if (!read_degrees(&value, option, &module))
        return false;
    if (*value == ',') {
        value++;
        if (!read_degrees(&value, option, &cpu))
            return false;
    } else if (module == OPTIONS_DEGREES_OFF) {
        cpu = module;
    }
    if (*value)
        return false;
    o->module_max = module;
    o->cpu_max = cpu;
    return true;
}

static bool set_hot(void *degrees, const struct option *option, const char *value)
{
    uint32_t n;

    if (!read_degrees(&value, option, &n) || *value)
        return false;
    *(uint32_t *)degrees = n;
    return true;
}

static bool set_channel_bits(void *options, const struct option *option, const char *value)
{
    struct options *o = options;

    return value_parse_bit_lists(value, o->channel_bits, &o->n_channel_bits);
}

static bool set_names(void *text, const struct option *option, const char *value)
{
    return value_is_names(value) && set_text(text, option, value);
}

static bool set_trace(void *bits, const struct option *option, const char *value)
{
    if (strcmp(value, "off") != 0)
        return value_parse_words(value, "on", option->word, option->n_words, bits);
    *(uint32_t *)bits = 0;
    return true;
}

static bool set_seed(void *options, const struct option *option, const char *value)
{
    struct options *o = options;

    if (!number_parse(value, 0, UINT64_MAX, &o->seed))
        return false;
    o->has_seed = true;
    return true;
}

static bool set_port(struct options *o, enum option_serial_port port, uint64_t address)
{
    o->serial_port = port;
    o->serial_address = address;
    return true;
}

static bool set_serial_port(void *options, const struct option *option, const char *value)
{
    static const enum option_serial_port ports[] = {
        OPTION_PORT_AUTO, OPTION_PORT_SPCR, OPTION_PORT_DBG2, OPTION_PORT_PCI,
        OPTION_PORT_COM,  OPTION_PORT_COM,  OPTION_PORT_COM,  OPTION_PORT_COM,
    };
    uint64_t address;
    unsigned i;

    if (value_parse_word(value, option->word, option->n_words, &i))
        return set_port(options, ports[i], i < 4 ? 0 : i - 3);
    if (strncmp(value, "mmio:", 5) == 0)
        return number_parse(value + 5, 1, UINT64_MAX >> 12, &address) &&
               set_port(options, OPTION_PORT_MEMORY, address);
    return number_parse(value, 0, UINT16_MAX, &address) && uart_io_is_possible(address) &&
           set_port(options, OPTION_PORT_IO, address);
}

#define TEXT_OF(x) #x
#define DECIMAL(x) TEXT_OF(x)

#define MEMBER(name)                                                                               \
    .offset = offsetof(struct options, name), .size = sizeof(((struct options *)NULL)->name)
#define SEVERAL_MEMBERS    .offset = 0
#define RANGE(least, most) .min = (least), .max = (most)
#define WORDS(...)                                                                                 \
    .n_words = COUNT(((const char *const[]){ __VA_ARGS__ })), .word = (const char *const[])        \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

#define MEASURED_ISAS "auto", "sse2", "avx2", "avx512"

static const struct option known[] = {
    { "tests", set_text, "quick, standard, thorough, hot, stability or a list of test names",
      MEMBER(tests), .min = 1 },
    { "march", set_text, "a march test such as {any(w0);up(r0,w1);down(r1,w0)}", MEMBER(march) },
    { "passes", set_passes, "a number of passes, 0 for unlimited", SEVERAL_MEMBERS,
      RANGE(0, UINT32_MAX) },
    { "cycles", set_cycles,
      "a number of starts up to " DECIMAL(CYCLES_MAX) ", /cold behind it, or 0", MEMBER(cycles) },
    { "time", set_seconds, "a time such as 90s, 15m, 8h or 2d, up to 10000 days", MEMBER(time_s),
      RANGE(0, OPTIONS_TIME_MAX_S) },
    { "range", set_range,
      "all or at most " DECIMAL(OPTIONS_RANGES_MAX) " START-END such as 1M-0x40000000,4G-6G",
      SEVERAL_MEMBERS },
    { "nodes", set_ids, "all or a list such as 0,2-5", MEMBER(nodes) },
    { "cpus", set_ids, "all or a list such as 0,2-5", MEMBER(cpus) },
    { "patterns", set_number, "a number from 1 to " DECIMAL(OPTIONS_PATTERNS_MAX),
      MEMBER(max_patterns), RANGE(1, OPTIONS_PATTERNS_MAX) },
    { "ranges", set_number_or_auto, "auto or a number, at least 1", MEMBER(max_ranges),
      RANGE(1, UINT32_MAX) },
    { "lines", set_lines,
      "all or a list of grub, grub-default, cutmem, memmap, memmap-dollar, windows, xen, freebsd, "
      "refind, pages, ranges",
      SEVERAL_MEMBERS },
    { "bandwidth", set_word, "off, quick or full", MEMBER(bandwidth),
      WORDS("off", "quick", "full") },
    { "bandwidth.runs", set_number, "a number from 1 to " DECIMAL(OPTIONS_RUNS_MAX),
      MEMBER(bandwidth_runs), RANGE(1, OPTIONS_RUNS_MAX) },
    { "bandwidth.ms", set_number_or_auto, "auto or a number from 1 to " DECIMAL(OPTIONS_RUN_MS_MAX),
      MEMBER(bandwidth_ms), RANGE(1, OPTIONS_RUN_MS_MAX) },
    { "bandwidth.isa", set_word, "auto, sse2, avx2 or avx512", MEMBER(bandwidth_isa),
      WORDS(MEASURED_ISAS) },
    { "bandwidth.prefetch", set_word, "auto or off", MEMBER(prefetch_off), WORDS("auto", "off") },
    { "serial", set_word, "text, ui, jsonl or off", MEMBER(serial),
      WORDS("text", "ui", "jsonl", "off") },
    { "serial.port", set_serial_port,
      "auto, com1, com2, com3, com4, spcr, dbg2, pci, an I/O port from 0x100 to 0xfff8 such as "
      "0x3e0, or mmio: and an address",
      SEVERAL_MEMBERS, WORDS("auto", "spcr", "dbg2", "pci", "com1", "com2", "com3", "com4") },
    { "serial.baud", set_baud, "1200, 2400, 4800, 9600, 19200, 38400, 57600 or 115200",
      MEMBER(serial_baud), RANGE(1200, 115200),
      WORDS("1200", "2400", "4800", "9600", "19200", "38400", "57600", "115200") },
    { "exit", set_word, "wait, reboot, poweroff or qemu", MEMBER(exit),
      WORDS("wait", "reboot", "poweroff", "qemu") },
    { "after", set_word, "stay or next", MEMBER(after), WORDS("stay", "next") },
    { "save", set_word, "on or off", MEMBER(save), WORDS("off", "on") },
    { "send", set_word, "off, on or leave", MEMBER(send), WORDS("off", "on", "leave") },
    { "identity", set_word, "off, board or full", MEMBER(identity), WORDS("off", "board", "full") },
    { "lowmem", set_lowmem, "tolerate, test or skip", MEMBER(lowmem),
      WORDS("tolerate", "test", "skip") },
    { "acpimem", set_word, "skip or test", MEMBER(acpimem), WORDS("skip", "test") },
    { "isa", set_word, "auto, scalar, sse2, avx2 or avx512", MEMBER(isa),
      WORDS(MEASURED_ISAS, "scalar") },
    { "rotate", set_word, "0, 90, 180 or 270", MEMBER(rotate), WORDS("0", "90", "180", "270") },
    { "beep", set_word, "off, on or fault", MEMBER(beep), WORDS("off", "on", "fault") },
    { "seed", set_seed, "a number", SEVERAL_MEMBERS },
    { "fade", set_seconds, "a number of seconds or a time such as 90s or 5m, up to a day",
      MEMBER(fade_s), RANGE(1, OPTIONS_SECONDS_MAX) },
    { "hammer", set_seconds, "a number of seconds or a time such as 90s or 5m, up to a day",
      MEMBER(hammer_s), RANGE(1, OPTIONS_SECONDS_MAX) },
    { "temperature.max", set_temperature_max,
      "auto, off or degrees from " DECIMAL(OPTIONS_DEGREES_MIN) " to " DECIMAL(
          OPTIONS_DEGREES_MAX) " such as 85, and others for CPUs after a comma",
      SEVERAL_MEMBERS, WORDS("auto", "off") },
    { "hot", set_hot,
      "auto, off, max or degrees from " DECIMAL(OPTIONS_DEGREES_MIN) " to " DECIMAL(
          OPTIONS_DEGREES_MAX) " such as 80",
      MEMBER(hot), WORDS("auto", "off", "max") },
    { "spd", set_word, "on or off", MEMBER(spd), WORDS("off", "on") },
    { "sel", set_word, "on or off", MEMBER(sel), WORDS("off", "on") },
    { "usb", set_word, "auto, on or off", MEMBER(usb), WORDS("off", "on", "auto") },
    { "support", set_word, "on or off", MEMBER(support), WORDS("off", "on") },
    { "channel.bits", set_channel_bits,
      "up to " DECIMAL(VALUE_BIT_LISTS_MAX) " lists of address bits from 6 to 51, / between them, "
                                            "such as 8,9,12,13,18,19",
      SEVERAL_MEMBERS },
    { "slot.order", set_names,
      "the names of the slots of each channel in turn, such as DIMM_A1,DIMM_B1 or "
      "A1+A2,B1+B2, up to 127 characters",
      MEMBER(slots), .min = 1 },
    { "diagnosis", set_text, "the word that okram has shown for it", MEMBER(diagnosis) },
    { "trace", set_trace, "off, on or a list of moves, cpus, firmware", MEMBER(trace),
      WORDS("moves", "cpus", "firmware") },
    { "watchdog", set_watchdog, "off or a time from 60s to 20m", MEMBER(watchdog_s),
      RANGE(OPTIONS_WATCHDOG_MIN_S, OPTIONS_WATCHDOG_MAX_S) },
    { "menu", set_number,
      "a number of seconds up to " DECIMAL(OPTIONS_SECONDS_MAX) ", 0 for no menu", MEMBER(menu_s),
      RANGE(0, OPTIONS_SECONDS_MAX) },
};

/* Of the name of an unknown option, and the names of all, so that a warning is not cut. */
#define SHOWN_NAME_CHARS 24
#define LISTED_CHARS     (WARNING_TEXT_MAX - SHOWN_NAME_CHARS - 32)

/* Of an option that belongs to the one before it, as serial.port to serial, the part from the dot.
 */
static const char *listed_name(size_t i)
{
    const char *dot = strchr(known[i].key, '.');
    size_t n = dot ? (size_t)(dot - known[i].key) : 0;

    return n && i && strncmp(known[i - 1].key, known[i].key, n) == 0 ? dot : known[i].key;
}

/* The first one of a text comes with the list of all options. */
static void warn_unknown(const char *key, const struct warnings *warnings, bool *is_listed)
{
    char names[LISTED_CHARS] = "";
    struct fmt_buffer b = fmt_buffer_make(names, sizeof(names));

    for (size_t i = 0; i < COUNT(known) && !*is_listed; i++)
        fmt_append(&b, "%s %s", i ? "" : "; valid options are", listed_name(i));
    ASSERT(!b.cut);
    *is_listed = true;
    warn_print(warnings, "option %.*s is unknown and ignored%s", SHOWN_NAME_CHARS, key, names);
}

static void apply(struct options *o, struct word *w, const struct warnings *warnings,
                  bool *is_listed)
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
        void *member = (char *)o + known[i].offset;

        if (strcmp(w->text, known[i].key) != 0)
            continue;
        if (w->too_long || w->unclosed || !known[i].set(member, &known[i], value))
            warn_print(warnings, "option %s=%.*s is ignored: %sexpected %s", w->text, SHOWN_CHARS,
                       value,
                       w->too_long   ? "it is too long; "
                       : w->unclosed ? "its quote is not closed; "
                                     : "",
                       known[i].expected);
        return;
    }
    warn_unknown(w->text, warnings, is_listed);
}

const char *option_isa_name(enum option_isa isa)
{
    static const char *const names[] = { MEASURED_ISAS, "scalar" };

    ASSERT(isa < COUNT(names));
    return isa == OPTION_ISA_AUTO ? NULL : names[isa];
}

void options_parse(struct options *options, const char *text, const struct warnings *warnings)
{
    bool is_listed = false;
    struct word word;

    while (word_next(&text, &word)) {
        if (!word_is_path(word.text) && !word_is_for_linux(word.text, WORD_MAX))
            apply(options, &word, warnings, &is_listed);
    }
}

/* Of a wrong word in a warning. */
#define OPTION_TESTS_SHOWN_CHARS 32

static void warn_of_tests(const char *words, struct test_word bad, const struct warnings *warnings)
{
    char names[WARNING_TEXT_MAX];
    struct fmt_buffer b = fmt_buffer_make(names, sizeof(names));
    int shown = bad.length < OPTION_TESTS_SHOWN_CHARS ? (int)bad.length : OPTION_TESTS_SHOWN_CHARS;

    if (strncmp(words + bad.position, TEST_OWN, bad.length) == 0 &&
        bad.length == sizeof(TEST_OWN) - 1) {
        warn_print(
            warnings,
            "tests=, character %zu: march is the march test of march=, and there is none; running "
            "standard",
            bad.position + 1);
        return;
    }
    for (size_t i = 0; tests_row(i); i++)
        fmt_append(&b, " %s", tests_row(i)->name);
    warn_print(warnings,
               "tests=, character %zu: \"%.*s\" is not a test or level; running standard; expected "
               "quick, standard, thorough, hot, stability or of%s",
               bad.position + 1, shown, words + bad.position, names);
}

void option_tests(const struct options *options, const struct warnings *warnings,
                  struct test_list *ret_tests)
{
    struct test_word bad;
    struct march_error error;

    ret_tests->n_tests = 0;
    switch (tests_select(options->tests, options->march, ret_tests, &bad)) {
    case STATUS_OK: break;
    case STATUS_NO_SPACE:
        warn_print(warnings, "tests=, character %zu: more than %d tests; running standard",
                   bad.position + 1, TEST_LIST_MAX);
        break;
    default: warn_of_tests(options->tests, bad, warnings);
    }
    if (!ret_tests->n_tests)
        ASSERT(tests_select("standard", "", ret_tests, &bad) == STATUS_OK);
    if (!options->march[0] || tests_have_own(ret_tests))
        return;
    switch (tests_add_march(ret_tests, options->march, &error)) {
    case STATUS_OK: break;
    case STATUS_INVALID:
        warn_print(warnings, "march=%s: at character %zu, %s was expected; it is not run",
                   options->march, error.position + 1, error.expected);
        break;
    default:
        warn_print(warnings, "march=%s: there are too many tests already; it is not run",
                   options->march);
    }
}
