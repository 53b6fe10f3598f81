// SPDX-License-Identifier: MIT
/* A text of options: okram.conf, a command line, or QEMU's string; and the same as the guard's. */
#include "options/options.h"

#include <stdlib.h>
#include <string.h>

#include "badram/cover.h"
#include "fuzz.h"
#include "guardlist/guard_options.h"
#include "options/words.h"

static void check(const struct options *o)
{
    CHECK(o->tests[0] && memchr(o->tests, 0, sizeof(o->tests)));
    CHECK(memchr(o->march, 0, sizeof(o->march)));
    CHECK(o->n_ranges <= OPTIONS_RANGES_MAX);
    fuzz_check_spans(o->range, o->n_ranges);
    for (size_t i = 1; i < o->n_ranges; i++)
        CHECK(span_end(o->range[i - 1]) < o->range[i].base);
    CHECK(o->max_patterns >= 1 && o->max_patterns <= OPTIONS_PATTERNS_MAX);
    CHECK(o->lines != 0 && o->lines < 1u << LINE_KINDS);
    CHECK(o->bandwidth_runs >= 1 && o->bandwidth_runs <= OPTIONS_RUNS_MAX);
    CHECK(o->fade_s >= 1 && o->fade_s <= OPTIONS_SECONDS_MAX);
    CHECK(o->hammer_s >= 1 && o->hammer_s <= OPTIONS_SECONDS_MAX);
    CHECK(o->menu_s <= OPTIONS_SECONDS_MAX);
    CHECK((unsigned)o->bandwidth <= OPTION_BANDWIDTH_FULL);
    CHECK((unsigned)o->serial <= OPTION_SERIAL_OFF && (unsigned)o->exit <= OPTION_EXIT_QEMU);
    CHECK((unsigned)o->isa <= OPTION_ISA_SCALAR);
    CHECK(o->bandwidth_ms <= OPTIONS_RUN_MS_MAX);
    CHECK((unsigned)o->bandwidth_isa <= OPTION_ISA_AVX512);
    CHECK((unsigned)o->serial_port <= OPTION_PORT_PCI);
    CHECK(o->serial_port != OPTION_PORT_COM || (o->serial_address >= 1 && o->serial_address <= 4));
    CHECK(o->serial_port != OPTION_PORT_IO || o->serial_address <= UINT16_MAX - 7);
    CHECK(o->serial_baud == 0 || (o->serial_baud >= 1200 && o->serial_baud <= 115200));
}

/* Every word can be shown, and the walk comes to the end of the text. */
static size_t check_words(const char *text)
{
    const char *end = text + strlen(text), *pos = text;
    struct word word;
    size_t n = 0;

    for (; word_next(&pos, &word); n++) {
        CHECK(strlen(word.text) < WORD_MAX && pos <= end);
        for (const char *c = word.text; *c; c++)
            CHECK(*c >= ' ' && *c <= '~');
    }
    CHECK(pos == end);
    return n;
}

static void check_guard(const char *text)
{
    struct guard_options once = { 0 }, twice;

    guard_options_read(text, &once);
    CHECK(once.patrol_s <= GUARD_PATROL_MAX_S);
    CHECK(memchr(once.wrong, 0, sizeof(once.wrong)));
    twice = once;
    guard_options_read(text, &twice);
    CHECK(memcmp(&once, &twice, sizeof(once)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size);
    struct fuzz_warnings counted;
    struct warnings warnings = fuzz_warnings(&counted);
    struct options once, twice;

    options_set_defaults(&once);
    options_parse(&once, text, &warnings);
    check(&once);
    CHECK(counted.n <= check_words(text));

    /* Later words win: the same text again changes nothing. */
    twice = once;
    options_parse(&twice, text, &warnings);
    CHECK(memcmp(&once, &twice, sizeof(once)) == 0);
    check_guard(text);
    free(text);
    return 0;
}
