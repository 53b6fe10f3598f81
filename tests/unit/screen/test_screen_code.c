// SPDX-License-Identifier: MIT
/* What the codes say is read back from pictures by tests/tools/test_qr.py. */
#include "decoder/sample_controller.h"
#include "screen/shown.h"

#define CODES 47 /* the column left of the text's */

static void send_line(const char *line)
{
    static struct cover cover;

    SEND(EVENT_BADRAM, 9, .badram = { 1, &cover, line, false });
}

/* Whether rows of the text's column hold this text, without its line ends. */
/* The modules, of which the line's code has as many as fit, are left out. */
static void assert_text(const char *text)
{
    char seen[BADRAM_LINE_BYTES(COVER_PATTERNS_MAX)] = "";

    for (unsigned row = 5; row < 21; row++) {
        if (strlen(row_text(row)) > CODES && !strstr(row_text(row), "DIMM_"))
            strcat(seen, row_text(row) + CODES + 1);
    }
    assert_string_equal(seen, text);
}

TEST(there_is_none_before_the_machine_is_known, start)
{
    play("starting");
    assert_true(find("c QR") < 0);
    screen_turn(&screen, SCREEN_CODE);
    assert_int_equal(screen.state.shown, SCREEN_MAIN);

    play("clean-pass"); /* no line: the short report alone */
    assert_shows("c QR");
    screen_turn(&screen, SCREEN_CODE);
    assert_shows("Short report");
    assert_shows("No fault.");
    assert_shows("c  back");
    screen_turn(&screen, SCREEN_CODE);
    assert_shows("memory test");
}

/* Which module, where the memory controller's registers show it; and X beside it in the list. */
TEST(the_module_that_faults_are_in, start)
{
    static const struct kind_verdict row = { .kind = KIND_ROW, .confidence = KIND_SURE };
    struct modules_with_words m = { .evidence = "timing", .n_fitted = 2, .n = 1, .words = 9 };

    play_on(shown_of(GRID_COLUMNS_MAX, 50, true), "two-nodes-faults");
    SEND(EVENT_CONTROLLER, .controller = { &sample_controller, &sample_registers });
    m.module[0] = (struct module_with_words){
        .words = 9,
        .name = { .answer = MODULE_SLOT, .slot = screen.state.modules->module[1].slot },
    };
    SEND(EVENT_KIND, .kind = { &row, "", "", "all 9", &m });
    assert_shows("X: has faults");
    assert_shows("DIMM_A2      X 16 GiB DDR4");
    assert_shows("DIMM_A1        16 GiB DDR4");
    screen_turn(&screen, SCREEN_DETAILS);
    screen_next_part(&screen);
    assert_shows("DIMM_A2: DDR4, 16 GiB; has faults");
    screen_turn(&screen, SCREEN_CODE);
    assert_non_null(strstr(screen.state.code.text, "\nfaults in DIMM_A2: 16 GiB"));
    SEND(EVENT_KIND, .kind = { &row, "", "", "all 9", NULL });
    screen_turn(&screen, SCREEN_CODE);
    screen_turn(&screen, SCREEN_CODE);
    assert_null(strstr(screen.state.code.text, "faults in"));
}

TEST(a_headline_comes_before_the_status, start)
{
    play("clean-pass");
    SEND(EVENT_ADVICE, .advice = { ADVICE_CASE_CPU, "Replace it.", "BAD CPU" });
    screen_turn(&screen, SCREEN_CODE);
    assert_non_null(strstr(screen.state.code.text, "BAD CPU\nstatus: pass"));
}

/* A line that is too long for one code: the short report, as much as fits. */
TEST(a_long_line_is_not_in_parts, start)
{
    play("long-line");
    screen_turn(&screen, SCREEN_CODE);
    assert_shows("Report (the line is too long)");
    assert_true(screen.state.code.qr.size && screen.state.code.qr.size <= 37);
    assert_string_equal(screen.state.code.text,
                        "status: fail\nbad pages: 64\nfaults: 900\ntested: 31 GiB\nseconds: 4000");
    assert_shows("900 faults");
    assert_shows("in 64 bad pages");
    screen_next_part(&screen);
    assert_shows("Report (the line is too long)");

    play_on(shown_of(SHOWN_COLUMNS, SHOWN_ROWS, true), "long-line");
    screen_turn(&screen, SCREEN_CODE);
    assert_non_null(strstr(screen.state.code.text, "BIOS\nAMD EPYC"));
    assert_non_null(strstr(screen.state.code.text, "\n8 CPUs, 31.3 GiB of RAM"));
}

/* Of 11 patterns, more than a device of characters has room for. */
TEST(a_framebuffer_has_larger_codes, start)
{
    const struct scene scene = {
        .nodes = 1, .n_patterns = 11, .n_faults = 11, .phase = "test", .ended = true
    };

    for (int squares = 0; squares < 2; squares++) {
        start_on(shown_of(SHOWN_COLUMNS, SHOWN_ROWS, squares));
        scene_play(&scene, (struct event_sink){ screen_receive, &screen });
        screen_turn(&screen, SCREEN_CODE);
        assert_shows(squares ? "The badram line" : "Report (the line is too long)");
    }
    assert_string_equal(screen.state.code.text, screen.state.badram.line);
    assert_text(screen.state.code.text);
}

TEST(the_visible_code_follows_the_line, start)
{
    play("two-nodes-faults");
    screen_turn(&screen, SCREEN_CODE);
    assert_shows("Report (the line is too long)");
    send_line("badram=0x1000,0xffffffffff000");
    assert_shows("The badram line so far");
    assert_text("badram=0x1000,0xffffffffff000");
    send_line("badram=0x2000,0xffffffffff000");
    assert_text("badram=0x2000,0xffffffffff000");
}

/* It must not change under a person's phone. */
TEST(the_short_report_stays_until_the_next_turn, start)
{
    struct event progress = { EVENT_PROGRESS, 9,
                              .progress = { "test", "march-c-", 1, 1, .n_tests = 9 } };

    play("measured-1");
    progress.progress.seconds = 200;
    screen_turn(&screen, SCREEN_CODE);
    assert_shows("seconds: 101");
    send(progress);
    assert_shows("seconds: 101");
    screen_turn(&screen, SCREEN_CODE);
    screen_turn(&screen, SCREEN_CODE);
    assert_shows("seconds: 200");
}

/* The end of a diagnosis is a part of it. */
TEST(the_short_report_says_which_module, start)
{
    static const struct diagnosis_record next = { .runs = 2,
                                                  .headline = "NEXT STEP",
                                                  .summary = "NEXT STEP: test with B1 only",
                                                  .next = "Take out A1." };
    static const struct diagnosis_record end = { .runs = 3,
                                                 .headline = "BAD MODULE FOUND",
                                                 .summary = "BAD MODULE FOUND: now in A1",
                                                 .end = "module",
                                                 .found = "It is A1." };

    play("clean-pass");
    SEND(EVENT_DIAGNOSIS, 9, .diagnosis = { .begun = true, .record = &next });
    screen_turn(&screen, SCREEN_CODE);
    assert_null(strstr(screen.state.code.report, "status"));
    assert_non_null(
        strstr(screen.state.code.report, "NEXT STEP: test with B1 only\nthis run: pass\n"));
    screen_turn(&screen, SCREEN_CODE);
    SEND(EVENT_DIAGNOSIS, 9, .diagnosis = { .begun = true, .record = &end });
    screen_turn(&screen, SCREEN_CODE);
    assert_non_null(strstr(screen.state.code.report,
                           "BAD MODULE FOUND: now in A1\nIt is A1.\nthis run: pass\n"));
    assert_null(strstr(screen.state.code.report, "status"));
}

TEST(the_short_report_names_ecc, start)
{
    play("clean-pass");
    SEND(EVENT_RESULT, 9,
         .result = { .verdict = VERDICT_FAIL, .bad_pages = 1, .ecc = { 43, 0, 43 } });
    screen_turn(&screen, SCREEN_CODE);
    assert_non_null(strstr(screen.state.code.report,
                           "\nbad pages: 1\nECC corrected 43 errors in 1 page\ntested: "));
    assert_shows("1 bad page");
    assert_true(find("0 faults") < 0);
}
