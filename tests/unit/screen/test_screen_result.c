// SPDX-License-Identifier: MIT
/* Its QR codes are read back from pictures by tests/tools/test_qr.py. */
#include "screen/shown.h"

#include "screen/screen_blocks.h"
#include "screen/screen_result.h"

static const struct {
    unsigned columns, rows;
    bool has_squares;
} sizes[] = {
    { 80, 24, false }, { 80, 25, false }, { 80, 30, true },  { 85, 32, true },
    { 90, 80, true },  { 128, 36, true }, { 144, 50, true },
};

#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void play_sized(size_t size, const char *scene)
{
    play_on(shown_of(sizes[size].columns, sizes[size].rows, sizes[size].has_squares), scene);
}

static unsigned count_squares(void)
{
    unsigned n = 0;

    for (unsigned row = 0; row < shown.rows; row++)
        for (unsigned column = 0; column < shown.columns; column++)
            n += grid_at(&shown, column, row)->colour == SQUARES;
    return n;
}

/* Cells of the word in large letters: blocks that are not a QR code's. */
static unsigned count_letter_cells(void)
{
    unsigned n = 0;

    for (unsigned row = 0; row < shown.rows; row++)
        for (unsigned column = 0; column < shown.columns; column++) {
            const struct cell *c = grid_at(&shown, column, row);

            n += (c->code == GLYPH_FULL || c->code == GLYPH_UPPER || c->code == GLYPH_LOWER) &&
                 c->colour != COLOUR(BLACK, WHITE) && c->colour != SQUARES;
        }
    return n;
}

/* The word in large letters and in text, both sentences, and what was tested, on every grid. */
TEST(each_result_on_each_grid, start)
{
    static const struct {
        const char *scene, *says[4];
        unsigned n_letters;
    } cases[] = {
        { "clean-pass",
          { "PASS: no fault found", "The memory tested is good.", "If the machine still crashes",
            "Thorough, all night" },
          4 },
        { "fail",
          { "FAIL: 2 bad pages, 900 faults, bits 8", "GRUB_BADRAM=\"\"", "One of the 4 modules",
            "badram=0x123456000,0xffffffffff000" },
          4 },
        { "stopped",
          { "STOPPED: no fault in the tests that ended (address", "The test was stopped too early",
            "let it run until", "warning: no SRAT" },
          7 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (size_t size = 0; size < N_SIZES; size++) {
            play_sized(size, cases[i].scene);
            for (size_t j = 0; j < 4; j++)
                assert_true(says_wrapped(cases[i].says[j]));
            assert_shows("Tested: 31 GiB");
            assert_shows("Not tested: 11.0 MiB");
            assert_shows("What to do");
            assert_shows("restart");
            assert_true(count_letter_cells() >= 12 * cases[i].n_letters);
        }
}

static void send_result(enum verdict verdict, bool complete, uint64_t bad_pages)
{
    SEND(EVENT_RESULT, .result = { .verdict = verdict,
                                   .complete = complete,
                                   .bad_pages = bad_pages,
                                   .faults = bad_pages });
}

static void send_ecc(enum verdict verdict, uint64_t corrected, uint64_t uncorrected)
{
    static const struct ecc_channel channels[] = { { "node 0, UMC 3", 4, 0 },
                                                   { "node 1, UMC 0", 1, 0 } };

    SEND(EVENT_RESULT,
         .result = { .verdict = verdict,
                     .complete = true,
                     .ecc = { corrected, uncorrected, 0, channels, corrected ? 2 : 0 } });
}

static void send_diagnosis(bool begun, const struct diagnosis_record *record)
{
    SEND(EVENT_DIAGNOSIS, .diagnosis = { .begun = begun, .record = record });
    if (begun)
        SEND(EVENT_ADVICE,
             .advice = { ADVICE_CASE_DIAGNOSIS, record->end ? record->found : record->next });
}

static const struct diagnosis_record first_record = {
    .runs = 1,
    .next = "Switch the machine off, take out the module in DIMM_A2 (serial 1A2B3C4D). Then start "
            "okram again.",
    .headline = "NEXT STEP",
    .summary = "NEXT STEP: test with DIMM_A1 only",
    .history = "DIMM_A1 and DIMM_A2: faults in 3 of 3 passes\n",
    .words = "tests=march-c-,mats+ passes=8 diagnosis=9090-01q1-36m1-8hm0-0y02-grm0",
};

TEST(a_headline_is_shown_instead_of_pass, start)
{
    for (size_t size = 0; size < N_SIZES; size++) {
        play_sized(size, "clean-pass");
        SEND(EVENT_ADVICE, .advice = { ADVICE_CASE_STARTS, "Begin again.", "BAD STARTS" });
        send_result(VERDICT_PASS, true, 0);
        assert_shows("Begin again.");
        assert_true(says_wrapped("BAD STARTS. This run: PASS: no fault found"));
        send_result(VERDICT_ERROR, false, 0);
        assert_true(find("BAD STARTS") < 0);
    }
}

/* What to do and what to type, on every grid; in full where there is room. */
TEST(the_next_step_of_a_diagnosis_on_each_grid, start)
{
    for (size_t size = 0; size < N_SIZES; size++) {
        play_sized(size, "fail");
        send_diagnosis(true, &first_record);
        assert_true(says_wrapped("take out the module in DIMM_A2"));
        assert_shows("diagnosis=9090-01q1-36m1-8hm0-0y02-grm0");
        assert_shows("badram=0x123456000,0xffffffffff000");
        assert_true(find("One of the 4 modules") < 0);
    }
}

/* The evidence for the kind of fault takes rows that the options need more. */
TEST(what_is_to_be_typed_comes_before_evidence, start)
{
    static const struct kind_verdict cell = {
        .kind = KIND_CELL,
        .confidence = KIND_SURE,
        .lane = { KIND_LANE_BYTE, 56, 64 },
        .evidence =
            "bits 0x800000000000000 of the word at 0x2001230, wrong in 100 % of the reads that a stuck "
            "cell spoils; 1 of 1 page bad again"
    };
    static const char *const advice =
        "One of the 2 modules is most likely bad. To find it: Switch the machine off, take out the "
        "module in DIMM_B1 (serial 5E6F7A8B). Then start okram again. Until then, Linux leaves the "
        "bad memory alone if you put the text after badram= into GRUB_BADRAM=\"\" in "
        "/etc/default/grub and run update-grub.";

    play("fail");
    SEND(EVENT_KIND, .kind = { &cell, "byte lane 7 of 8", "" });
    send_diagnosis(false, &first_record);
    SEND(EVENT_ADVICE, .advice = { ADVICE_CASE_FIND_MODULE, advice });
    assert_true(says_wrapped("and run update-grub."));
    assert_shows("Options for that start: tests=march-c-,mats+ passes=8");
    assert_shows("diagnosis=9090-01q1-36m1-8hm0-0y02-grm0");
    assert_shows("badram=0x123456000");
    assert_shows("Kind of fault, sure: a single cell");
}

/* Where the report is kept, the menu knows the words. */
TEST(where_the_menu_goes_on_nothing_is_typed, start)
{
    play("fail");
    send_diagnosis(false, &first_record);
    assert_shows("diagnosis=9090");
    SEND(EVENT_REPORT_SAVED, .kept = { .phase = KEPT_DONE });
    assert_true(find("diagnosis=") < 0);
}

TEST(the_end_of_a_diagnosis, start)
{
    static const struct diagnosis_record record = {
        .runs = 4,
        .headline = "BAD MODULE FOUND",
        .end = "module",
        .summary = "BAD MODULE FOUND: serial 1A2B3C4D, taken out of DIMM_A2",
        .found =
            "The bad module is the one with serial number 1A2B3C4D, which you took out of DIMM_A2.",
        .reasons = "With it in, faults came in 6 of 6 passes in 2 runs.",
        .history = "DIMM_A1 and DIMM_A2: faults in 3 of 3 passes\n",
    };

    play("clean-pass");
    send_diagnosis(true, &record);
    assert_true(says_wrapped("BAD MODULE FOUND. This run: PASS: no fault found"));
    assert_true(
        says_wrapped("The bad module is the one with serial number 1A2B3C4D, which you took "
                     "out of DIMM_A2."));
    assert_true(find("If the machine still crashes") < 0);
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("Which module is it?");
    assert_shows("With it in, faults came in 6 of 6 passes in 2 runs.");
    assert_shows("DIMM_A1 and DIMM_A2: faults in 3 of 3 passes");
}

/* Options that would be cut are on the page of key s alone, whole. */
TEST(long_options_are_on_a_page_of_their_own, start)
{
    struct diagnosis_record record = first_record;

    memset(record.words, 'x', sizeof(record.words) - 1);
    record.words[sizeof(record.words) - 2] = 'y';
    play("fail");
    send_diagnosis(true, &record);
    assert_shows("NEXT STEP: test with DIMM_A1 only (after 1 run). Key s shows it all.");
    assert_true(find("xxx") < 0);
    assert_shows("Key s shows the options for that start.");
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("xy");
}

static void send_unseen(struct unseen unseen)
{
    SEND(EVENT_RESULT, .result = { .verdict = VERDICT_PASS, .all_tested = true, .unseen = unseen });
}

static void send_part(struct event_result result)
{
    result.verdict = VERDICT_PASS;
    SEND(EVENT_RESULT, .result = result);
}

TEST(other_results, start)
{
    SEND(EVENT_RESULT, .result = { .verdict = VERDICT_FAIL,
                                   .complete = true,
                                   .bad_pages = 3,
                                   .faults = 3,
                                   .failing_bits = UINT64_MAX,
                                   .is_encrypted = true });
    assert_shows("FAIL: 3 bad pages, 3 faults, bits not shown, memory is encrypted");
    send_ecc(VERDICT_CORRECTED, 5, 0);
    assert_shows("ERRORS CORRECTED: ECC corrected 5 errors, no other fault");
    assert_shows("By channel: node 0, UMC 3: 4; node 1, UMC 0: 1.");
    assert_true(find("PASS") < 0);
    SEND(EVENT_RESULT,
         .result = {
             .verdict = VERDICT_FAIL, .complete = true, .bad_pages = 1, .ecc = { 43, 0, 43 } });
    assert_shows("FAIL: ECC corrected 43 errors in 1 page");
    assert_true(find("0 faults") < 0 && find("none") < 0);
    send_ecc(VERDICT_FAIL, 0, 2);
    assert_shows("FAIL: 2 uncorrected errors of memory, whose pages are not known");
    send_result(VERDICT_PASS, false, 0);
    assert_shows("PASS, BUT INCOMPLETE: no fault found in the part tested, less than 99 % of");
    send_unseen((struct unseen){ .missing_bytes = 1, .modules = 1, .of = 4 });
    assert_shows("PASS, BUT INCOMPLETE: 1 of 4 modules is not seen");
    send_part((struct event_result){ .all_tested = true, .hidden_pages = 1 });
    assert_shows("PASS, BUT 1 page was hidden before okram started: keep the old line");
    send_part((struct event_result){ .all_tested = true,
                                     .hidden_pages = 1,
                                     .tested_bytes = 32 << 20,
                                     .part_of_bytes = 255 << 20 });
    assert_shows("PASS of 32 MiB of 255 MiB, BUT 1 page was hidden before okram started: keep");
    send_part((struct event_result){
        .complete = true, .tested_bytes = 32 << 20, .part_of_bytes = 255 << 20 });
    assert_shows("PASS of 32 MiB of 255 MiB: no fault found there");
    assert_true(find("INCOMPLETE") < 0);
    send_unseen((struct unseen){ 15 * GIB, 16 * GIB, 0, 1, false, false, 0, { 0 } });
    assert_shows("PASS, BUT INCOMPLETE: 15 GiB of the 16 GiB that the modules have is missing");
    send_unseen((struct unseen){ 8 * GIB, 16 * GIB, 1, 2, false, false, 1, { 0x51 } });
    assert_shows("1 of 2 modules is not seen: that at SMBus address 0x51");
    send_unseen((struct unseen){ 8 * GIB, 16 * GIB, 1, 2, false, false, 2, { 0x51, 0x53 } });
    assert_shows("1 of 2 modules is not seen, of those at");
    assert_shows("0x51 and 0x53");
    assert_true(find("99 %") < 0);
    send_result(VERDICT_ERROR, false, 0);
    assert_shows("ERROR: no memory could be tested");
    assert_shows("Tested: nothing, in ");
    SEND(EVENT_RESULT, .result = { .verdict = VERDICT_ERROR,
                                   .reason = REASON_INTERNAL_ERROR,
                                   .complete = true,
                                   .tested_bytes = 1 << 30 });
    assert_shows("ERROR: internal error of okram, not a result of the memory test");
    assert_shows("Tested: 1 GiB, in ");
    assert_true(find("could be tested") < 0 && find("pass in") < 0);
}

/* Also on the smallest grid, where the advice is still to be seen. */
TEST(what_kind_of_fault, start)
{
    const struct kind_verdict row = { .kind = KIND_ROW,
                                      .confidence = KIND_SURE,
                                      .lane = { KIND_LANE_BYTE, 24, 64 },
                                      .evidence = "128 lines" };

    SEND(EVENT_KIND, .kind = { &row, "byte lane 3 of 8", "" });
    send_result(VERDICT_FAIL, true, 3);
    assert_shows("Kind of fault, sure: 1 to 4 rows (word lines); byte lane 3 of 8 (128 lines)");
}

TEST(a_pass_says_what_it_excludes, start)
{
    struct event e = { EVENT_RESULT, .result = { .verdict = VERDICT_PASS, .complete = true } };

    for (size_t size = 0; size < N_SIZES; size++) {
        play_sized(size, "clean-pass");
        e.result.excluded = (struct excluded){ 96, 32, 1505, 7.176 };
        send(e);
        assert_true(says_wrapped("A fault that shows in fewer than 1 of 32 reads may have been "
                                 "missed. Longer tests find more."));
        assert_true(find("95 %") < 0); /* key s has the figures */
        assert_true(says_wrapped("If the machine still crashes"));
        e.result.excluded = (struct excluded){ 6, 2, 9, 4918 };
        send(e);
        assert_true(says_wrapped("A fault that shows in fewer than half of all reads may have "));
        e.result.excluded = (struct excluded){ 4, 1, 9, 4918 };
        send(e);
        assert_true(says_wrapped("A fault that shows in fewer than all reads may have "));
        e.result.rate = error_rate_make(0, UINT64_C(41000000000000), 0);
        send(e);
        assert_true(
            says_wrapped("Stability: no error in 41.0 TB: fewer than 1 in 13.7 TB, with 95 % "));
        e.result.rate = error_rate_make(19, 340000000, 0);
        e.result.rate.always_bad = true;
        send(e);
        assert_true(says_wrapped("Stability: 19 errors in 0.340 GB, but no rate: a page was bad "));
        assert_true(find("per TB") < 0);
        e.result.rate = (struct error_rate){ 0 };
        e.result.excluded = (struct excluded){ 0 };
        send(e);
        assert_true(find("may have been") < 0);
    }
}

/* A kind that is not clear has no confidence. */
TEST(a_kind_that_is_not_clear, start)
{
    const struct kind_verdict unclear = { .kind = KIND_UNCLEAR, .evidence = "9 lines" };

    SEND(EVENT_KIND, .kind = { &unclear, "", "" });
    send_result(VERDICT_FAIL, true, 3);
    assert_shows("Kind of fault: not clear (9 lines)");
    assert_true(find("possible") < 0);
}

/* An advice of that size, of words. */
static const char *words(char *text, size_t size)
{
    memset(text, 'w', size);
    for (size_t i = 7; i < size; i += 8)
        text[i] = ' ';
    strcpy(text + size - sizeof("words"), "words");
    return text;
}

/* All of a long one, and the line below it, after all that the page may have above. */
TEST(the_advice_has_room, start)
{
    const struct kind_verdict kind = { .kind = KIND_ROW,
                                       .confidence = KIND_SURE,
                                       .lane = { KIND_LANE_BYTE, 24, 64 },
                                       .evidence = "128 lines, all within 16 KiB" };
    char text[366], chip[120];

    memset(chip, 'c', sizeof(chip) - 1);
    chip[sizeof(chip) - 1] = 0;
    for (size_t size = 0; size < N_SIZES; size++) {
        play_sized(size, "fail");
        SEND(EVENT_KIND, .kind = { &kind, chip, "" });
        SEND(EVENT_ADVICE, .advice = { ADVICE_CASE_GOOD, words(text, sizeof(text)) });
        assert_true(says_wrapped(" words"));
        assert_true(says_wrapped("Kind of fault, sure:"));
        assert_shows("badram=0x123456000,0xffffffffff000");
        assert_shows("restart");
    }
}

/* As a run by UEFI ends: letters become smaller before the advice is cut; facts are cut first. */
TEST(the_advice_is_not_cut_for_the_code, start)
{
    const struct kind_verdict kind = { .kind = KIND_CELL,
                                       .confidence = KIND_SURE,
                                       .lane = { KIND_LANE_BYTE, 24, 64 },
                                       .evidence = "2 words of 2 pages, wrong 7 times" };
    static const char *const advice =
        "The module in DIMM_A 0 (Kingston KF432C16BB/8), the only one, is almost certainly bad: have "
        "it replaced. Until then, choose \"The guard\" in okram's menu at the next start, and Windows "
        "and Linux leave the bad memory alone (for Linux alone, put the text after badram= into "
        "GRUB_BADRAM=\"\" in /etc/default/grub and run update-grub). With Windows, suspend BitLocker "
        "first.";

    for (size_t size = 2; size < N_SIZES; size++) {
        play_sized(size, "fail");
        SEND(EVENT_KIND, .kind = { &kind, "lane 3", "" });
        SEND(EVENT_ADVICE, .advice = { ADVICE_CASE_ONE_MODULE, advice });
        SEND(EVENT_REPORT_SAVED, .kept = { KEPT_DONE, false, true });
        assert_true(says_wrapped("With Windows, suspend BitLocker first."));
        assert_shows("Kind of fault, sure: a single cell");
        assert_shows("Not tested: 11.0 MiB (interrupt vectors,");
        assert_shows("badram=0x123456000,0xffffffffff000");
        assert_true(count_squares() > 0);
        for (unsigned row = 0; shown.columns >= SCREEN_WIDE_COLUMNS && row < shown.rows; row++)
            assert_null(strchr(row_text(row), (char)GLYPH_CUT));
    }
}

/* A line of a few rows is whole before the evidence is. */
TEST(the_line_comes_before_whole_facts, start)
{
    const struct scene scene = {
        .nodes = 1, .n_patterns = 10, .n_faults = 10, .phase = "test", .ended = true
    };
    struct kind_verdict kind = { .kind = KIND_CELL, .confidence = KIND_SURE };
    char chip[120];

    words(kind.evidence, sizeof(kind.evidence));
    words(chip, sizeof(chip));
    for (unsigned rows = 30; rows < 50; rows++) {
        start_on(shown_of(128, rows, true));
        scene_play(&scene, (struct event_sink){ screen_receive, &screen });
        SEND(EVENT_KIND, .kind = { &kind, chip, "" });
        assert_shows("0x12b45e000,0xffffffffff000,0x12c45f000,0xffffffffff000");
        assert_int_equal(screen.state.badram_parts, 1);
    }
}

/* The badram line is there all the same, and key s has the rest. */
TEST(an_advice_that_is_too_long, start)
{
    char text[1030];

    for (size_t size = 0; size < N_SIZES; size++) {
        play_sized(size, "fail");
        SEND(EVENT_ADVICE, .advice = { ADVICE_CASE_GOOD, words(text, sizeof(text)) });
        assert_true(says_wrapped("wwwwwww wwwwwww"));
        assert_shows("badram=0x123456000,0xffffffffff000");
        screen_turn(&screen, SCREEN_DETAILS);
        assert_shows("What to do");
        assert_true(says_wrapped(" words "));
        screen_turn(&screen, SCREEN_DETAILS);
    }
}

/* One that is a part of another, and one that comes twice. */
TEST(every_reason_is_listed, start)
{
    static const struct event_untested untested[] = {
        { { 0, 0x1000 }, "start page of a CPU that did not respond" },
        { { 0x2000, 0x1000 }, "okram itself" },
        { { 0x4000, 0x1000 }, "ACPI tables" },
        { { 0x6000, 0x1000 }, "okram itself" },
    };

    SEND(EVENT_RESULT,
         .result = { .verdict = VERDICT_PASS, .untested = untested, .n_untested = 4 });
    assert_string_equal(screen.state.untested_why,
                        "start page of a CPU that did not respond, okram itself, "
                        "ACPI tables");
}

/* Where a grid has no room for it, the page of the code has it. */
TEST(the_code_is_where_there_is_room, start)
{
    static const bool has_code[N_SIZES] = { false, false, true, true, true, true, true };

    for (size_t size = 0; size < N_SIZES; size++) {
        play_sized(size, "fail");
        assert_int_equal(screen_result_has_code(&screen.state, &screen.view[0].backend),
                         has_code[size]);
        assert_int_equal(count_squares() > 0, has_code[size]);
        play_sized(size, "long-line"); /* is too long: next to the page is the short report */
        assert_int_equal(count_squares() > 0, shown.columns >= SCREEN_WIDE_COLUMNS);
        assert_shows("badram=0x123456000");
    }
}

static bool is_large(const char *text)
{
    int row = find(text);

    for (unsigned i = 0; row >= 0 && i < shown.columns; i++) {
        if (grid_at(&shown, i, (unsigned)row)->quarter)
            return true;
    }
    return false;
}

/* The line below the word, where the device can show it so and nothing is cut for it. */
TEST(the_line_is_twice_as_large_where_there_is_room, start)
{
    for (size_t size = 0; size < N_SIZES; size++) {
        play_sized(size, "clean-pass");
        assert_int_equal(is_large("PASS: no fault found"), sizes[size].has_squares);
        assert_true(says_wrapped("Thorough, all night"));
    }
}

TEST(each_page_says_which_it_is, start)
{
    char title[40];

    play_sized(1, "long-line");
    for (size_t page = 1; page <= screen.state.n_pages; page++, screen_next_part(&screen)) {
        snprintf(title, sizeof(title), "page %zu of %zu (space: the next)", page,
                 screen.state.n_pages);
        assert_int_equal(find(title), 0);
    }
    assert_int_equal(screen.state.shown, SCREEN_RESULT); /* all were shown */
    assert_int_equal(screen.state.page, 1);
    assert_true(screen.state.n_pages > 2);
}

TEST(space_turns_the_parts_then_to_the_main_page, start)
{
    size_t parts;

    play("long-line");
    parts = screen.state.badram_parts;
    assert_true(parts > 5);
    for (size_t i = 0; i < parts; i++) {
        char note[60];

        snprintf(note, sizeof(note), "part %zu of %zu", i + 1, parts);
        assert_shows(note);
        assert_shows("What to do");
        screen_next_part(&screen);
    }
    assert_int_equal(screen.state.shown, SCREEN_MAIN);
    assert_shows("Node");
    for (size_t i = screen.state.badram_parts; i; i--)
        screen_next_part(&screen);
    assert_int_equal(screen.state.shown, SCREEN_RESULT);
}

static void send_kept(enum kept_phase phase, bool keys_wait, bool boots_okram)
{
    const struct event e = { EVENT_REPORT_SAVED, 7, .kept = { phase, keys_wait, boots_okram } };

    send(e);
}

/* The colours of the large letters. */
static uint8_t band(void)
{
    unsigned row = ROW_MEMORY + 1;

    while (row + 1 < shown.rows && grid_at(&shown, 0, row)->colour >> 4 == BLACK)
        row++;
    return grid_at(&shown, 0, row)->colour;
}

/* A step of a search is neither good nor bad, whatever the run had; what it finds has a colour. */
TEST(a_search_has_a_headline_of_its_own, start)
{
    struct diagnosis_record end = first_record;
    uint8_t pass, fail, step;

    end.headline = "BAD MODULE FOUND";
    end.end = "module";
    for (size_t size = 0; size < N_SIZES; size++) {
        play_sized(size, "clean-pass");
        pass = band();
        send_diagnosis(true, &first_record);
        assert_true(says_wrapped("NEXT STEP. This run: PASS: no fault found"));
        step = band();
        send_diagnosis(true, &end);
        assert_true(says_wrapped("BAD MODULE FOUND. This run: PASS: no fault found"));
        assert_true(pass != step && band() != step && band() != pass);
        play_sized(size, "fail");
        fail = band();
        send_diagnosis(true, &first_record);
        assert_true(says_wrapped("NEXT STEP. This run: FAIL: "));
        assert_true(fail != step && band() == step);
        send_result(VERDICT_ERROR, false, 0);
        assert_true(find("NEXT STEP") < 0 && band() == fail);
    }
}

/* The first run's own verdict stays; its page of key s has the one advice, and then the search. */
TEST(before_a_search_the_advice_is_one, start)
{
    int advice, begins, next;

    play("fail");
    send_diagnosis(false, &first_record);
    assert_true(find("NEXT STEP") < 0);
    SEND(EVENT_ADVICE, .advice = { ADVICE_CASE_SETTINGS, "Slow it down." });
    screen_turn(&screen, SCREEN_DETAILS);
    advice = find("Slow it down.");
    begins = find("The search for the bad module begins like this:");
    next = find("take out the module in DIMM_A2");
    assert_true(advice >= 0 && advice < begins && begins < next);
}

/* The main page's verdict does not cover the panels next to it. */
TEST(a_verdict_next_to_panels, start)
{
    bool is_seen = false;

    for (size_t size = 0; size < N_SIZES; size++) {
        play_sized(size, "fail");
        screen_next_part(&screen);
        if (shown.columns < SCREEN_WIDE_COLUMNS)
            continue;
        is_seen = true;
        assert_int_equal(grid_at(&shown, 0, find("FAIL: 2 bad pages"))->colour >> 4, RED);
        for (unsigned row = 0; row < shown.rows; row++)
            assert_int_not_equal(grid_at(&shown, GRID_COLUMNS_MIN, row)->colour >> 4, RED);
    }
    assert_true(is_seen);
}

/* What to do so that the report becomes a file; the verdict is there before it is kept. */
TEST(a_report_that_is_kept, start)
{
    for (size_t size = 0; size < N_SIZES; size++) {
        play_sized(size, "fail");
        assert_true(find("report is kept") < 0 && find("Keeping") < 0);
        send_kept(KEPT_BEGUN, false, true);
        assert_shows("FAIL: 2 bad pages");
        assert_shows("Keeping the report ... Do not switch off yet. A");
        send_kept(KEPT_DONE, false, true);
        assert_true(find("Keeping") < 0);
        assert_shows("This report is kept: switch off or restart (key");
        send_kept(KEPT_BEGUN, true, false);
        assert_shows("Keeping the report ... Do not switch off yet.");
        send_kept(KEPT_DONE, true, false);
        assert_shows("This report is kept: you may switch off.");
    }
}

/* The machine restarts by itself: a warning says so. */
TEST(a_report_of_one_of_several_starts, start)
{
    static const struct cycles goes_on = { .wanted = 3, .starts = 2, .id = 1 };
    static const struct cycles last = { .wanted = 3, .starts = 3, .id = 1 };

    for (size_t size = 0; size < N_SIZES; size++) {
        play_sized(size, "fail");
        SEND(EVENT_CYCLES, .cycles = { .count = &goes_on, .word = "" });
        send_kept(KEPT_DONE, false, true);
        assert_true(says_wrapped("This report is kept. At its next start okram writes it"));
        SEND(EVENT_CYCLES, .cycles = { .count = &last, .word = "" });
        send_kept(KEPT_DONE, false, true);
        assert_shows("This report is kept: switch off or restart (key");
    }
}

/* The keys stay in sight: the warning is with the others. */
TEST(a_report_that_is_not_kept, start)
{
    for (size_t size = 0; size < N_SIZES; size++) {
        play_sized(size, "clean-pass");
        send_kept(KEPT_BEGUN, false, true);
        SEND(EVENT_WARNING, .warning = "UEFI's SetVariable");
        send_kept(KEPT_FAILED, false, true);
        assert_true(find("Keeping") < 0);
        assert_shows("This report is not kept: photograph it;");
        assert_shows("warning: UEFI's SetVariable");
        assert_shows("restart");
    }
}

/* By BIOS alone, and beside what UEFI keeps. */
TEST(a_report_on_the_stick, start)
{
    for (size_t size = 0; size < N_SIZES; size++) {
        play_sized(size, "clean-pass");
        SEND(EVENT_STICK, .stick = { KEPT_BEGUN, "run-3.html" });
        assert_shows("Writing the report onto the stick");
        SEND(EVENT_STICK, .stick = { KEPT_DONE, "run-3.html" });
        assert_shows("on the stick: okram\\run-3.html");
        assert_true(find("Writing") < 0 && find("Keeping") < 0);
        send_kept(KEPT_BEGUN, false, true);
        assert_shows("Do not switch");
        send_kept(KEPT_DONE, false, true);
        assert_true(find("photograph it") < 0);
        send_kept(KEPT_FAILED, false, true);
        assert_shows("on the stick: okram\\run-3.html");
        assert_true(find("photograph it") < 0);
        SEND(EVENT_STICK, .stick = { KEPT_FAILED, "run-3.html" });
        assert_true(find("okram\\run-3") < 0);
    }
}

/* In place of the keys where it fits there, and in the list of the page of `s`; else above, too. */
TEST(a_warning_after_the_result_is_shown_once, start)
{
    char fits[79] = "restarts; q: stay", longer[80];

    for (size_t at = strlen(fits); at < 78; at++)
        fits[at] = at % 7 ? 'a' : ' ';
    snprintf(longer, sizeof(longer), "%sz", fits);
    for (size_t size = 0; size < N_SIZES; size++) {
        play_sized(size, "clean-pass");
        SEND(EVENT_WARNING, .warning = fits);
        assert_true(find("warning: restarts") < 0);
        assert_int_equal(find("restarts; q: stay"), shown.rows - 1);
        assert_shows(fits + 60);
        screen_turn(&screen, SCREEN_DETAILS);
        for (size_t page = 0; page < 9 && find("warning: restarts") < 0; page++)
            screen_next_part(&screen);
        assert_shows("warning: restarts");
        screen_turn(&screen, SCREEN_DETAILS);
        SEND(EVENT_WARNING, .warning = longer);
        assert_true(find("warning") >= 0); /* some of these have one row for both */
    }
}

static void tick_s(unsigned seconds)
{
    screen_tick(&screen, UINT64_C(5000000000) + seconds * UINT64_C(1000000));
}

/* Without any key, every part and the code come into sight, each for ten seconds. */
TEST(pages_turn_by_themselves, start)
{
    unsigned now = 0;
    size_t parts;

    play("long-line");
    parts = screen.state.badram_parts;
    for (unsigned round = 0; round < 2; round++) {
        for (size_t i = 0; i < parts; i++, now += 10) {
            tick_s(now);
            tick_s(now + 9);
            assert_int_equal(screen.state.shown, SCREEN_RESULT);
            assert_int_equal(screen.state.badram_part, i);
            assert_shows("any key stops that");
        }
        tick_s(now);
        assert_int_equal(screen.state.shown, SCREEN_MAIN);
        tick_s(now += 10);
        assert_int_equal(screen.state.shown, SCREEN_CODE);
        assert_shows("any key stops that");
        now += 10;
    }
    tick_s(now);
    assert_int_equal(screen.state.shown, SCREEN_RESULT);
    screen_key_pressed(&screen);
    assert_shows("Ended:   l lines");
    tick_s(now + 60);
    assert_int_equal(screen.state.shown, SCREEN_RESULT);
}

TEST(nothing_turns_when_nothing_is_hidden, start)
{
    play("clean-pass");
    for (unsigned i = 0; i < 60; i += 5)
        tick_s(i);
    assert_int_equal(screen.state.shown, SCREEN_RESULT);
    assert_shows("Ended:   space next");

    play_sized(5, "fail"); /* with its code */
    for (unsigned i = 0; i < 60; i += 5)
        tick_s(i);
    assert_int_equal(screen.state.shown, SCREEN_RESULT);
}

TEST(no_page_turns_under_a_person, start)
{
    play("two-nodes-faults");
    tick_s(0);
    tick_s(20);
    assert_int_equal(screen.state.shown, SCREEN_MAIN); /* the run goes on */
    play("long-line");
    screen_key_pressed(&screen);
    for (unsigned i = 0; i < 60; i += 5)
        tick_s(i);
    assert_int_equal(screen.state.shown, SCREEN_RESULT);
    assert_int_equal(screen.state.badram_part, 0);
}
