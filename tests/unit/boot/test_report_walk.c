// SPDX-License-Identifier: MIT
#include "boot/uefi/last_report/report_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/fmt.h"

static struct saved_report report;
static struct report_walk walk;

static const char *next(const char *type)
{
    return report_walk_next(&walk, type);
}

static void begin(const char *jsonl)
{
    snprintf(report.jsonl, sizeof(report.jsonl), "%s", jsonl);
    report_walk_begin(&walk, &report);
}

#define LINES                                                                                      \
    "{\"type\":\"a\",\"n\":1,\"also\":{\"n\":[2,3]}}\n"                                            \
    "{\"type\":\"b\",\"n\":4}\n"                                                                   \
    "{\"type\":\"a\",\"n\":5}\n"

static void those_of_a_line_one_by_one(void **state)
{
    begin(LINES);
    assert_ptr_equal(next(NULL), report.jsonl);
    assert_string_equal(next(NULL), "{\"type\":\"a\",\"n\":2}");
    assert_string_equal(next(NULL), "{\"type\":\"a\",\"n\":3}");
    assert_memory_equal(next(NULL), "{\"type\":\"b\"", 11);
    assert_memory_equal(next(NULL), "{\"type\":\"a\",\"n\":5}", 18);
    assert_null(next(NULL));
    assert_null(next(NULL));
}

static void those_of_a_type(void **state)
{
    unsigned n = 0;

    begin(LINES);
    while (next("a"))
        n++;
    assert_int_equal(n, 4);
    begin(LINES);
    assert_memory_equal(next("b"), "{\"type\":\"b\",\"n\":4}", 18);
    assert_null(next("b"));
    begin(LINES);
    assert_null(next("c"));
    begin("");
    assert_null(next("a"));
}

/* The files have room for all records of any report. */
static void no_report_makes_more_than_there_is_room_for(void **state)
{
    struct fmt_buffer b = fmt_buffer_make(report.jsonl, sizeof(report.jsonl));
    size_t further = 0, n = 0;
    const char *record;

    fmt_append(&b, "{\"type\":\"a\",\"text\":\"%0999d\",\"n\":0,\"also\":{\"n\":[0", 0);
    while (b.length < sizeof(report.jsonl) - 64)
        fmt_append(&b, ",0");
    fmt_append(&b, "]}}\n{\"type\":\"b\"}\n");
    report_walk_begin(&walk, &report);
    assert_ptr_equal(next("a"), report.jsonl);
    while ((record = next(NULL)) && record == walk.record) {
        further += strlen(record);
        n++;
    }
    assert_in_range(further, REPORT_FURTHER_MAX - 1100, REPORT_FURTHER_MAX);
    assert_in_range(n, 14, 16);
    assert_memory_equal(record, "{\"type\":\"b\"}", 12); /* what follows is not lost */
    assert_null(next(NULL));
}

static void the_last_of_a_type(void **state)
{
    begin(LINES);
    assert_memory_equal(report_walk_last(&report, "a"), "{\"type\":\"a\",\"n\":5}", 18);
    assert_memory_equal(report_walk_last(&report, "b"), "{\"type\":\"b\",\"n\":4}", 18);
    assert_null(report_walk_last(&report, "c"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_of_a_line_one_by_one),
        cmocka_unit_test(those_of_a_type),
        cmocka_unit_test(the_last_of_a_type),
        cmocka_unit_test(no_report_makes_more_than_there_is_room_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
