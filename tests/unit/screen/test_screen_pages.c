// SPDX-License-Identifier: MIT
#include "screen/shown.h"

#include "screen/screen_pages.h"

TEST(without_data_there_is_no_page, start)
{
    static const enum screen_pages pages[] = { SCREEN_BANDWIDTH, SCREEN_CODE, SCREEN_DETAILS };

    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        screen_turn(&screen, pages[i]);
        assert_int_equal(screen.state.shown, SCREEN_MAIN);
    }
    SEND(EVENT_WARNING, 1, .warning = "late");
    assert_true(find("b  ") < 0 && find("c  ") < 0);
    assert_shows("s  details");
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("page 1 of 1");
    assert_shows("warning: late");
    assert_true(find("space") < 0);
    screen_next_part(&screen);
    assert_shows("warning: late");
}

/* From any page to any other; its own key leaves it. */
TEST(keys_turn, start)
{
    play("measured-2");
    screen_turn(&screen, SCREEN_BANDWIDTH);
    assert_shows("bandwidth");
    assert_shows("b  back");
    assert_true(find("space") < 0); /* there is one */
    screen_next_part(&screen);
    assert_shows("b  back");
    screen_turn(&screen, SCREEN_CODE);
    assert_shows("c  back");
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("s  back");
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("memory test");
}

TEST(the_page_of_details_stays, start)
{
    play("measured-12");
    screen_turn(&screen, SCREEN_DETAILS);
    screen_next_part(&screen);
    assert_shows("page 2 of ");
    assert_shows("s  back    space  next page");
    screen_turn(&screen, SCREEN_DETAILS);
    screen_turn(&screen, SCREEN_BANDWIDTH);
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("page 2 of ");
    screen.state.n_warnings = 1; /* fewer pages than before */
    screen.state.modules = NULL;
    SEND(.type = EVENT_MCE);
    assert_shows("page 1 of 1");

    play("measured-12"); /* after the end what to do is the first */
    screen_turn(&screen, SCREEN_DETAILS);
    screen_next_part(&screen);
    SEND(EVENT_ADVICE, .advice = { ADVICE_CASE_GOOD, "Do nothing." });
    SEND(EVENT_RESULT, .result = { .verdict = VERDICT_PASS });
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("Do nothing.");
}

TEST(the_main_page_comes_back_for_what_counts, start)
{
    struct event fault = { EVENT_FAULT, 9, .fault = { .addr = 0x5000, .test = "x" } };
    struct event progress = { EVENT_PROGRESS, 9,
                              .progress = { "test", "march-c-", 1, 1, .n_tests = 9 } };

    play("measured-1");
    screen_turn(&screen, SCREEN_BANDWIDTH);
    send(progress);
    assert_shows("Memory test: march-c-, 1 of 9, pass 1 at 0 %, no fault so far");
    send(fault);
    progress.progress.faults = progress.progress.bad_pages = 1;
    send(progress);
    assert_shows("1 fault in 1 bad page,");
    assert_shows("memory test");

    screen_turn(&screen, SCREEN_BANDWIDTH); /* a person who has seen it may go on reading */
    send(fault);
    progress.progress.faults = 2;
    send(progress);
    assert_shows("Memory test: 2 faults in 1 bad page, see the main page");
    assert_int_equal(grid_at(&shown, 1, SHOWN_ROWS - 2)->colour & 15, LIGHT_RED);
    SEND(EVENT_LINE, 9, .line = { "xen", "Xen", "badpage=0x5", "", true });
    assert_shows("badpage=0x5");

    screen_turn(&screen, SCREEN_BANDWIDTH);
    SEND(EVENT_RESULT, 9, .result = { .verdict = VERDICT_FAIL, .bad_pages = 1 });
    assert_shows("FAIL: ");
    screen_turn(&screen, SCREEN_BANDWIDTH); /* and at the end the keys work, too */
    assert_shows("Memory test: 1 bad page, see the main page");
    assert_true(find("q stop") < 0);
}

TEST(how_the_test_is_doing, start)
{
    static const struct {
        enum verdict verdict;
        const char *says;
        bool complete;
        enum reason reason;
    } ends[] = {
        { VERDICT_PASS, "Memory test: passed, no fault", true, REASON_NONE },
        { VERDICT_PASS, "Memory test: passed, but incomplete, no fault", false, REASON_NONE },
        { VERDICT_STOPPED, "Memory test: stopped, no fault", true, REASON_NONE },
        { VERDICT_ERROR, "Memory test: nothing could be tested, no fault", false,
          REASON_NOTHING_TESTED },
        { VERDICT_ERROR, "Memory test: internal error, no fault", true, REASON_INTERNAL_ERROR },
    };

    SEND(EVENT_CACHE, 1, .cache = { 1, 1024, { .mean = 1 }, { .mean = 1 } });
    screen_turn(&screen, SCREEN_BANDWIDTH);
    assert_shows("Memory test: starting, no fault so far");
    SEND(EVENT_PROGRESS, 1, .progress = { "bandwidth", "" });
    assert_shows("Memory test: starts after the measurements, no fault so far");
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        SEND(EVENT_RESULT, 9,
             .result = { .verdict = ends[i].verdict,
                         .complete = ends[i].complete,
                         .reason = ends[i].reason });
        screen_turn(&screen, SCREEN_BANDWIDTH);
        assert_shows(ends[i].says);
    }
}

/* Whatever there is, all keys fit in 80 columns, and have more words where there is room. */
TEST(all_keys_fit, start)
{
    static const struct {
        unsigned columns;
        bool ended;
        const char *row;
    } cases[] = {
        { 80, false,
          " q stop   r report   l lines   space next   b speed   c QR   s more   h help" },
        { 80, true,
          " Ended:   l lines   space next   b speed   c QR   x restart   s more   h help" },
        { 128, true,
          " The run has ended.    l  other lines    space  next page    b  bandwidth    c  QR code"
          "    x  restart    s  details    h  help" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scene s = { .nodes = 8,
                           .n_patterns = 64,
                           .n_faults = 9,
                           .phase = "test",
                           .measured = true,
                           .ended = cases[i].ended };

        start_on(shown_of(cases[i].columns, SHOWN_ROWS, false));
        scene_play(&s, (struct event_sink){ screen_receive, &screen });
        assert_string_equal(row_text(SHOWN_ROWS - 1), cases[i].row);
    }
    play("measured-1");
    assert_string_equal(row_text(SHOWN_ROWS - 1), " q  stop    r  report    b  bandwidth    "
                                                  "c  QR code    s  details    h  help");
}
