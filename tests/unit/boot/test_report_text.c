// SPDX-License-Identifier: MIT
#include "boot/uefi/report_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "save/samples.h"

static struct sample sample;
static struct saved_report report;
static char text[70000];

typedef void append(const struct saved_report *, struct fmt_buffer *);

static void read_sample(void)
{
    saved_read(&sample.variables, &report);
}

static void finish(enum saved_verdict verdict, const char *jsonl)
{
    sample_finished(&sample, verdict, jsonl, SAMPLE_TEXT, SAVED_PART_BYTES_MAX);
    read_sample();
    assert_int_equal(report.kind, SAVED_WHOLE);
}

static void start(void)
{
    sample_started(&sample);
    read_sample();
}

static const char *made(append *f)
{
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    f(&report, &b);
    assert_false(b.cut);
    return text;
}

static void dates(void **state)
{
    static const struct {
        int64_t seconds;
        const char *text;
    } cases[] = {
        { SAMPLE_STARTED, "2026-11-22 13:14" },
        { 1, "1970-01-01 00:00" },
        { INT64_C(951782400), "2000-02-29 00:00" },
        { INT64_C(951868799), "2000-02-29 23:59" },
        { INT64_C(951868800), "2000-03-01 00:00" },
        { INT64_C(1709164800), "2024-02-29 00:00" },
        { INT64_C(1735689599), "2024-12-31 23:59" },
        { INT64_C(1735689600), "2025-01-01 00:00" },
        { INT64_C(4107542400), "2100-03-01 00:00" },
        { INT64_C(253402300799), "9999-12-31 23:59" },
        { INT64_C(253402300800), "at an unknown time" },
        { 0, "at an unknown time" },
        { -1, "at an unknown time" },
        { INT64_MAX, "at an unknown time" },
        { INT64_MIN, "at an unknown time" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        report_append_date(cases[i].seconds, &b);
        assert_string_equal(text, cases[i].text);
    }
}

static void headlines(void **state)
{
    finish(SAVED_FAIL, SAMPLE_JSONL);
    assert_string_equal(made(report_append_headline), "FAIL, 1 bad page, 2026-11-22 13:14");
    finish(SAVED_PASS, SAMPLE_JSONL);
    assert_string_equal(made(report_append_headline), "PASS, 2026-11-22 13:14");
    finish(SAVED_STOPPED, SAMPLE_JSONL);
    assert_string_equal(made(report_append_headline), "STOPPED, 2026-11-22 13:14");
    start();
    assert_string_equal(made(report_append_headline), "DID NOT FINISH, 2026-11-22 13:14");
    report.state.started = 0;
    assert_string_equal(made(report_append_headline), "DID NOT FINISH, run at an unknown time");
    report.kind = SAVED_UNREADABLE;
    assert_string_equal(made(report_append_headline), "NOT READABLE");
}

static void summaries(void **state)
{
    finish(SAVED_FAIL, SAMPLE_JSONL);
    assert_string_equal(
        made(report_append_summary),
        "FAIL: 1 bad page, 2 faults.\n"
        "The run began on 2026-11-22 13:14 by the machine's clock and took 90 s.\n"
        "1.5 GiB of 4 GiB tested by 8 CPUs, pass 1, okram 1.0, on QEMU Standard PC (Q35 + ICH9, "
        "2009).\n"
        "Tests: address, march-c-.\n");
    start();
    made(report_append_summary);
    assert_ptr_equal(strstr(text, "okram started on 2026-11-22 13:14 and did not finish: test "
                                  "march-c-, 1.5 GiB tested, CPU 3.\n"),
                     text);
    sample.variables.part[0].bytes = NULL;
    finish(SAVED_PASS, SAMPLE_JSONL);
    sample.variables.part[0].bytes = NULL;
    read_sample();
    assert_non_null(strstr(made(report_append_summary), "PASS: no bad page, 0 faults.\n"));
    assert_non_null(strstr(text, "Part 1 of 1 of the report is missing."));
    sample.state.version = 2;
    sample_seal(&sample);
    read_sample();
    assert_string_equal(made(report_append_summary),
                        "The variable OkramState is damaged or not okram's: it is of version 2; "
                        "this okram reads version 1.\n");
}

static void many_tests(void **state)
{
    char jsonl[8000] = "";

    for (int i = 0; i < 100; i++)
        sprintf(jsonl + strlen(jsonl), "{\"type\":\"test\",\"test\":\"test-%d\"}\n", i % 50);
    finish(SAVED_PASS, jsonl);
    made(report_append_summary);
    assert_non_null(strstr(text, "Tests: test-0, test-1, "));
    assert_non_null(strstr(text, "....\n")); /* cut */
}

static void the_line(void **state)
{
    static char line[REPORT_LINE_MAX];

    finish(SAVED_FAIL, SAMPLE_JSONL);
    report_line(&report, line);
    assert_string_equal(line, SAMPLE_LINE);
    finish(SAVED_FAIL, SAMPLE_JSONL "{\"type\":\"badram\",\"line\":\"badram=0x1000,0x2000\"}\n");
    report_line(&report, line);
    assert_string_equal(line, "badram=0x1000,0x2000"); /* the last one */
    finish(SAVED_FAIL, "{\"type\":\"badram\",\"line\":\"badram=0x1; reboot\"}\n");
    report_line(&report, line);
    assert_string_equal(line, "");
    finish(SAVED_PASS, "no JSON");
    report_line(&report, line);
    assert_string_equal(line, "");
    start();
    report_line(&report, line);
    assert_string_equal(line, "");
}

static void names(void **state)
{
    static const struct {
        const char *board, *name;
    } cases[] = {
        { "QEMU Standard PC (Q35 + ICH9, 2009)", "2026-11-22-1314-QEMU-Standard-PC-Q35-ICH9-2009" },
        { "", "2026-11-22-1314-PC" },
        { "../..\\..:*?<>|", "2026-11-22-1314-PC" },
        { "-x-", "2026-11-22-1314-x" },
        { "0123456789012345678901234567890123456789012345678901234567890",
          "2026-11-22-1314-0123456789012345678901234567890123456789" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fmt_buffer b = fmt_buffer_make(text, REPORT_NAME_MAX - 7);

        start();
        string_copy(report.state.board, cases[i].board, sizeof(report.state.board));
        report_append_name(&report, 1, &b);
        assert_string_equal(text, cases[i].name);
        report.state.started = 0;
        b = fmt_buffer_make(text, REPORT_NAME_MAX - 7);
        report_append_name(&report, 1000, &b);
        assert_false(b.cut);
        assert_ptr_equal(strstr(text, "undated-"), text);
        assert_string_equal(text + strlen(text) - 5, "-1000");
    }
}

static void text_file(void **state)
{
    finish(SAVED_FAIL, SAMPLE_JSONL);
    made(report_append_txt);
    assert_non_null(strstr(text, "pass 1, okram 1.0"));
    assert_string_equal(text + strlen(text) - strlen(SAMPLE_TEXT), SAMPLE_TEXT);
    start();
    made(report_append_txt);
    assert_non_null(strstr(text, "did not finish"));
}

static void json_file(void **state)
{
    finish(SAVED_FAIL, SAMPLE_JSONL);
    assert_string_equal(made(report_append_jsonl), SAMPLE_JSONL);
    start();
    assert_string_equal(
        made(report_append_jsonl),
        "{\"t\":90,\"type\":\"saved\",\"version\":\"1.0\",\"phase\":\"testing\",\"status\":null,"
        "\"started\":\"2026-11-22T13:14:34\",\"written\":\"2026-11-22T13:16:04\","
        "\"board\":\"QEMU Standard PC (Q35 + ICH9, 2009)\",\"test\":\"march-c-\",\"pass\":1,"
        "\"cpu\":3,\"cpus\":8,\"tested_bytes\":1610612736,\"swept_bytes\":5368709120,"
        "\"ram_bytes\":4294967296,\"faults\":0,\"bad_pages\":0}\n");
    string_copy(report.state.test, "\"\\", sizeof(report.state.test));
    report.state.started = 0;
    made(report_append_jsonl);
    assert_non_null(strstr(text, "\"started\":null,"));
    assert_non_null(strstr(text, "\"test\":\"\\\"\\\\\","));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates),      cmocka_unit_test(headlines), cmocka_unit_test(summaries),
        cmocka_unit_test(many_tests), cmocka_unit_test(the_line),  cmocka_unit_test(names),
        cmocka_unit_test(text_file),  cmocka_unit_test(json_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
