// SPDX-License-Identifier: MIT
/*
 * The longest texts that the run sends, on every page of every size: none is cut, for a cut word is
 * worse than none, and each is whole on one of the pages.
 */
#include "screen/shown.h"

#include "screen/screen_pages.h"
#include "screen/screen_section.h"
#include "spd/sample_modules.h"

#define TURNS_MAX 60 /* of one kind */

static const struct {
    unsigned columns, rows;
    bool has_squares;
} sizes[] = {
    { 80, 24, false }, { 80, 25, false }, { 80, 30, true },  { 85, 32, true },  { 90, 80, true },
    { 100, 37, true }, { 119, 40, true }, { 128, 36, true }, { 144, 50, true },
};

#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

#define LONG_WARNING                                                                               \
    "option march=: expected an element such as up(r0,w1) at \"{sideways(r0,w1,r1,w0)}\": it is "  \
    "left out, and the run goes on with the tests of the level standard, which are those that "    \
    "tests= would have named had it been given without a mistake in it"
#define LOST_CPU                                                                                   \
    "CPU 7 (APIC 14) did not come up in 100 ms: it is left out, and what it would have tested is " \
    "shared by the others of its node"

static const char *const warnings[] = {
    LONG_WARNING,
    LOST_CPU,
    "no SRAT table: all memory is taken as one node",
};

static const struct event_untested untested[] = {
    { { 0, 0x1000 }, "interrupt vectors" },
    { { 0x100000, 0x700000 }, "okram itself" },
    { { 0x7fe00000, 0x200000 }, "ACPI tables" },
    { { 0x7fc00000, 0x200000 }, "UEFI's runtime services write there for okram" },
    { { 0x7fa00000, 0x200000 }, "UEFI's runtime services" },
    { { 0x7f800000, 0x200000 }, "firmware's: a USB controller may write to it" },
    { { 0x7f600000, 0x200000 }, "hidden before okram started" },
};

static const char *const tests[] = { "address",    "march-raw+", "backgrounds",
                                     "block-move", "bus-stress", "bus-pulse",
                                     "row-hammer", "fade",       "moving-inversions" };

static const struct diagnosis_record step = {
    .runs = 12,
    .next = "Switch the machine off, take out the module in Controller0-ChannelA-DIMM0 (serial "
            "1A2B3C4D), and put the one of Controller1-ChannelB-DIMM1 (serial 5E6F7A8B) into its "
            "slot. Then start okram again and choose the first row of its menu.",
    .headline = "NEXT STEP",
    .summary = "NEXT STEP: test with the module of Controller0-ChannelA-DIMM0 only",
    .history =
        "Controller0-ChannelA-DIMM0 and Controller1-ChannelB-DIMM1: faults in 3 of 3 passes, "
        "and each time that a bad page was tested again\n",
    .words = "tests=march-c-,mats+ passes=8 diagnosis=9090-01q1-36m1-8hm0-0y02-grm0-9090-01q1-36m1",
};

static const struct event_identity identity = {
    .run = "0123456789abcdef",
    .date = "2026-11-24T13:14:34",
    .names =
        &(const struct smbios_names){
            .system = { "Micro-Star International Co., Ltd.", "GE76 Raider 11UH-053", "1.0", "" },
            .board = { "Micro-Star International Co., Ltd.", "MAG B550 TOMAHAWK MAX WIFI (MS-7C91)",
                       "2.0", "" } },
};

static void send_found(void)
{
    static const struct kind_verdict verdict = {
        .kind = KIND_ROW,
        .confidence = KIND_LIKELY,
        .evidence = "12 faults in 8 rows of 4 banks of the module; 8 of 8 pages bad again, always "
                    "(8 of 8 times), at the temperature at which they were found first; and a "
                    "last word",
    };
    static const char *const channels =
        "channel 0 (Controller0-ChannelA-DIMM0): 0, channel 1 (Controller1-ChannelB-DIMM1): 12 of "
        "12 words, computed with your bits";
    static const struct diagnosis_record *const record = &step;

    SEND(EVENT_IDENTITY, .identity = identity);
    SEND(EVENT_TEMPERATURE,
         .temperature = {
             .when = "start", .cpu = &sample_cpu, .modules = &sample_modules, .text = "" });
    SEND(EVENT_FAULT, .fault = { UINT64_C(0xf123456789000), 0, 0x0101010101010101,
                                 "moving-inversions", 1, 1023, 0 });
    SEND(EVENT_ALIAS, .alias.alias = { .address_bits = 0xc000000000,
                                       .pages = 16384,
                                       .upper = { 0x8000000000, 0x4000000000 },
                                       .lower = { 0x4000000000, 0x4000000000 } });
    SEND(EVENT_KIND,
         .kind = { &verdict, "chip 3 of 8 of Controller0-ChannelA-DIMM0: byte lane 3 (bits 24-31)",
                   "", channels });
    SEND(EVENT_DIAGNOSIS, .diagnosis = { .begun = false, .record = record });
}

/* Ends it, whichever way: the texts are the longest, if not all of them can come together. */
static void send_result(enum verdict verdict, uint64_t bad_pages)
{
    static const struct ecc_channel channels[] = {
        { "node 0, UMC 3", 4, 0 }, { "node 1, UMC 0", 1, 0 },  { "node 1, UMC 11", 123456, 7 },
        { "node 3, UMC 9", 1, 0 }, { "node 3, UMC 10", 1, 0 }, { "node 3, UMC 11", 1, 0 },
    };
    struct event_result r = { .verdict = verdict,
                              .tests = tests,
                              .n_tests = sizeof(tests) / sizeof(tests[0]),
                              .tested_bytes = UINT64_C(31) << 30,
                              .part_of_bytes = UINT64_C(32) << 30,
                              .untested_bytes = 0xb01000,
                              .untested = untested,
                              .n_untested = sizeof(untested) / sizeof(untested[0]),
                              .bad_pages = bad_pages,
                              .faults = bad_pages,
                              .failing_bits = bad_pages ? UINT64_C(0x8000000000000100) : 0,
                              .seconds = 4000.25,
                              .stopped = verdict == VERDICT_STOPPED,
                              .skipped_tests = verdict == VERDICT_STOPPED ? 3 : 0,
                              .excluded = { .reads = 96, .one_in = 32 },
                              .ecc = { 123456, 7, 3, channels, 6 } };

    SEND(EVENT_RESULT, .result = r);
    SEND(EVENT_REPORT_SAVED, .kept = { .phase = KEPT_DONE, .boots_okram = true });
}

static void send_advice(bool failed)
{
    const struct advice_facts facts = { .run = failed ? ADVICE_FAILED : ADVICE_PASSED,
                                        .ram_bytes = UINT64_C(32) << 30,
                                        .n_modules = 4,
                                        .bad_pages = failed,
                                        .guard = ADVICE_GUARD_WITHOUT_LIST,
                                        .use = BADRAM_IGNORED,
                                        .hidden_pages = 2,
                                        .diagnosis = failed ? step.next : NULL,
                                        .line_fits = true };
    char text[ADVICE_TEXT_SIZE];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    advice_append(&facts, &b);
    assert_false(b.cut);
    SEND(EVENT_ADVICE, .advice = { advice_case_of(&facts), text });
}

static unsigned n_cut;

static void check_page(size_t size, const char *page)
{
    for (unsigned row = 0; row < shown.rows; row++) {
        unsigned end = shown.columns;

        for (unsigned column = 0; column < end; column++) {
            const struct cell *cell = grid_at(&shown, column, row);

            if (cell->code != GLYPH_CUT || cell->colour == SQUARES)
                continue;
            print_message("%ux%u, %s: %s\n", sizes[size].columns, sizes[size].rows, page,
                          row_text(row));
            n_cut++;
        }
    }
}

/* The words that have to be whole somewhere, wherever rows break. */
static bool seen[8];
static const char *const ends[] = {
    "and a last word",
    "computed with your bits",
    "UEFI's runtime services",
    "hidden before okram started",
    "had it been given without a mistake in it",
    "MAG B550 TOMAHAWK MAX WIFI (MS-7C91)",
    "2026-11-24 13:14",
    "node 3, UMC 11: 1",
};

static void look_for_ends(void)
{
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        seen[i] |= says_wrapped(ends[i]);
}

static void check_pages(size_t size, const char *scene)
{
    static const enum screen_pages kinds[] = { SCREEN_BANDWIDTH, SCREEN_CODE, SCREEN_HELP,
                                               SCREEN_DETAILS };
    char name[80];

    for (size_t i = 0; i < TURNS_MAX && (!i || screen.state.shown != screen_home(&screen.state) ||
                                         screen.state.badram_part);
         i++) {
        snprintf(name, sizeof(name), "%s, page %u.%zu", scene, screen.state.shown, i);
        check_page(size, name);
        look_for_ends();
        screen_next_part(&screen);
    }
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        if (!screen_pages_count(&screen.state, kinds[k]))
            continue;
        screen_turn(&screen, kinds[k]);
        for (size_t i = 0; i < screen_pages_count(&screen.state, kinds[k]); i++) {
            snprintf(name, sizeof(name), "%s, page %u.%zu", scene, kinds[k], i);
            check_page(size, name);
            look_for_ends();
            screen_next_part(&screen);
        }
        screen_turn(&screen, kinds[k]);
    }
}

static void begin(size_t size, const char *scene)
{
    start_on(shown_of(sizes[size].columns, sizes[size].rows, sizes[size].has_squares));
    memset(seen, 0, sizeof(seen));
    scene_play(scene_find(scene), (struct event_sink){ screen_receive, &screen });
    for (size_t i = 0; i < sizeof(warnings) / sizeof(warnings[0]); i++)
        SEND(EVENT_WARNING, .warning = warnings[i]);
}

TEST(nothing_is_cut)
{
    static const struct {
        enum verdict verdict;
        uint64_t bad_pages;
        const char *name;
    } ways[] = {
        { VERDICT_FAIL, 12345, "FAIL" },       { VERDICT_FAIL, 0, "FAIL by ECC" },
        { VERDICT_PASS, 0, "PASS" },           { VERDICT_STOPPED, 0, "STOPPED" },
        { VERDICT_CORRECTED, 0, "CORRECTED" },
    };

    n_cut = 0;
    for (size_t size = 0; size < N_SIZES; size++) {
        begin(size, "measured-8");
        send_found();
        check_pages(size, "running");
        for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
            begin(size, ways[i].bad_pages ? "two-nodes-faults" : "measured-2");
            if (ways[i].bad_pages)
                send_found();
            SEND(EVENT_IDENTITY, .identity = identity);
            send_advice(ways[i].verdict == VERDICT_FAIL);
            send_result(ways[i].verdict, ways[i].bad_pages);
            check_pages(size, ways[i].name);
            SEND(EVENT_WARNING, .warning = warnings[0]);
            check_page(size, "a warning at the end");
            for (size_t e = ways[i].bad_pages ? 0 : 2; e < sizeof(ends) / sizeof(ends[0]); e++)
                if (!seen[e])
                    fail_msg("%ux%u, %s: \"%s\" is nowhere", sizes[size].columns, sizes[size].rows,
                             ways[i].name, ends[e]);
        }
    }
    assert_int_equal(n_cut, 0);
}
