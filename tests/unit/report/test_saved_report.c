// SPDX-License-Identifier: MIT
#include "report/saved_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/capture.h"

static struct saved_events report;
static char out[SAVED_REPORT_MAX + 1];

static const struct cover cover = { .pattern = { { 0x5000, 0xffffffffff000 } }, .n_patterns = 1 };
static char long_line[2 * SAVED_REPORT_MAX];

static const struct event start = { EVENT_START, 0.5,
                                    .start = { "0.1.0", "uefi", "okram.efi", "tests=quick" } };
static const struct event machine = { EVENT_MACHINE, 1,
                                      .machine = { .cpu = "CPU", .cpus = 2, .isa = "avx2" } };
static const struct event test = { EVENT_TEST, 2, .test = { .pass = 1, .test = "mats+" } };
static const struct event fault = { EVENT_FAULT, 2, .fault = { .addr = 8, .test = "mats+" } };
static const struct event interim = { EVENT_BADRAM, 2,
                                      .badram = { 1, &cover, "badram=interim", false } };
static const struct event badram = { EVENT_BADRAM, 3,
                                     .badram = { 1, &cover, "badram=0x5000,0xf", true } };
static const struct event progress = { EVENT_PROGRESS, 3,
                                       .progress = { .phase = "test", .test = "mats+" } };
static const struct event_untested untested[] = { { { 0, 0x1000 }, "vectors" } };
static const struct event result = { EVENT_RESULT, 4,
                                     .result = { .status = "fail",
                                                 .bad_pages = 1,
                                                 .faults = 1,
                                                 .untested = untested,
                                                 .n_untested = 1,
                                                 .complete = true } };

static int set_up(void **state)
{
    memset(&report, 0xaa, sizeof(report));
    saved_report_init(&report);
    return 0;
}

static void receive_all(const struct event *badram_event)
{
    const struct event *const events[] = { &start,    &machine,     &interim, &fault,
                                           &progress, badram_event, &test,    &result };

    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        saved_report_receive(&report, events[i]);
}

static const char *written(enum saved_form form, size_t room)
{
    bool cut;

    out[saved_lines_write(&report.lines, form, room, out, &cut)] = 0;
    return out;
}

/* The JSON is what serial=jsonl writes, without progress and interim covers. */
static void json_is_as_on_the_serial_port(void **state)
{
    const struct event *const events[] = { &start, &machine, &fault, &badram, &test, &result };
    struct capture c = { 0 };
    struct jsonl json = jsonl_make(capture_writer(&c));

    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        jsonl_receive(&json, events[i]);
    receive_all(&badram);
    assert_string_equal(written(SAVED_JSON, SAVED_REPORT_MAX), c.text);
    capture_free(&c);
}

static void text_ends_with_the_line(void **state)
{
    const char *text;

    receive_all(&badram);
    text = written(SAVED_TEXT, SAVED_REPORT_MAX);
    assert_non_null(strstr(text, "okram 0.1.0, started by UEFI"));
    assert_non_null(strstr(text, "FAIL: 1 bad page"));
    assert_non_null(strstr(text, "vectors"));
    assert_null(strstr(text, "interim"));
    assert_string_equal(strrchr(strstr(text, "sacrificed"), 'b'), "badram=0x5000,0xf\n");
}

/* A small room holds verdict and line, not what to do or the list of what was not tested. */
static void text_is_cut_by_the_line(void **state)
{
    static const struct diagnosis_record record = {
        .runs = 1,
        .next = "Take it out, all of it, and put it in again, in the same slot.",
        .summary = "next: take out all"
    };
    const struct event diagnosis = { EVENT_DIAGNOSIS, 3,
                                     .diagnosis = { .kind = "cells", .record = &record } };
    const struct event advice = {
        EVENT_ADVICE, 3,
        .advice = { ADVICE_CASE_DIAGNOSIS,
                    "Take it out, all of it, and put it in again, in the same slot, then start it "
                    "again. Until then leave it as it is, and do not use it for what matters." }
    };
    const char *text;

    saved_report_receive(&report, &diagnosis);
    saved_report_receive(&report, &advice);
    receive_all(&badram);
    text = written(SAVED_TEXT, SAVED_REPORT_MAX);
    assert_non_null(strstr(text, "to do      Take it out"));
    text = written(SAVED_TEXT, 400);
    assert_non_null(strstr(text, "FAIL: 1 bad page"));
    assert_non_null(strstr(text, "\nbadram=0x5000,0xf\n"));
    assert_null(strstr(text, "Take it out"));
    assert_null(strstr(text, "vectors"));
    assert_null(strstr(text, "FAULT"));
}

/* A line longer than any report is left out whole, and nothing else is. */
static void a_line_that_never_fits_is_left_out(void **state)
{
    struct event huge = badram;
    const char *text;

    memset(long_line, 'x', sizeof(long_line) - 1);
    memcpy(long_line, "badram=", 7);
    long_line[SAVED_REPORT_MAX] = 0;
    huge.badram.line = long_line;
    receive_all(&huge);
    text = written(SAVED_JSON, SAVED_REPORT_MAX);
    assert_null(strstr(text, "\"type\":\"badram\""));
    assert_non_null(strstr(text, "\"type\":\"result\""));
    text = written(SAVED_TEXT, SAVED_REPORT_MAX);
    assert_null(strstr(text, "badram=xxx"));
    assert_non_null(strstr(text, "FAIL: 1 bad page"));
    assert_true(out[strlen(out) - 1] == '\n');
}

/* The line is what a person needs; without the diagnosis the loader's menu cannot go on. */
static void the_line_comes_before_a_diagnosis(void **state)
{
    static const struct diagnosis_record record = { .runs = 1, .next = "Test again." };
    const struct event diagnosis = { EVENT_DIAGNOSIS, 3,
                                     .diagnosis = { .kind = "cells", .record = &record } };
    size_t room;

    saved_report_receive(&report, &start);
    saved_report_receive(&report, &badram);
    saved_report_receive(&report, &result);
    room = strlen(written(SAVED_JSON, SAVED_REPORT_MAX));
    set_up(state);
    receive_all(&badram);
    saved_report_receive(&report, &diagnosis);
    written(SAVED_JSON, room);
    assert_non_null(strstr(out, "\"type\":\"badram\""));
    assert_non_null(strstr(out, "\"type\":\"result\""));
    assert_null(strstr(out, "\"type\":\"diagnosis\""));
}

/* In a room too small for both, the verdict is worth more than the machine. */
static void the_result_comes_before_the_machine(void **state)
{
    size_t room;

    saved_report_receive(&report, &start);
    saved_report_receive(&report, &result);
    room = strlen(written(SAVED_JSON, SAVED_REPORT_MAX));
    set_up(state);
    receive_all(&badram);
    written(SAVED_JSON, room);
    assert_non_null(strstr(out, "\"type\":\"start\""));
    assert_non_null(strstr(out, "\"type\":\"result\""));
    assert_null(strstr(out, "\"type\":\"machine\""));
}

static void the_first_faults_are_kept(void **state)
{
    unsigned n = 0;

    for (int i = 0; i < 3 * SAVED_FAULTS_MAX; i++)
        saved_report_receive(&report, &fault);
    saved_report_receive(&report, &result);
    for (const char *p = written(SAVED_JSON, SAVED_REPORT_MAX); (p = strstr(p, "\"fault\"")); p++)
        n++;
    assert_in_range(n, 50, SAVED_FAULTS_MAX);
    assert_non_null(strstr(out, "\"type\":\"result\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(json_is_as_on_the_serial_port, set_up),
        cmocka_unit_test_setup(text_ends_with_the_line, set_up),
        cmocka_unit_test_setup(text_is_cut_by_the_line, set_up),
        cmocka_unit_test_setup(a_line_that_never_fits_is_left_out, set_up),
        cmocka_unit_test_setup(the_result_comes_before_the_machine, set_up),
        cmocka_unit_test_setup(the_line_comes_before_a_diagnosis, set_up),
        cmocka_unit_test_setup(the_first_faults_are_kept, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
