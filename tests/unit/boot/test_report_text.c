// SPDX-License-Identifier: MIT
#include "boot/uefi/last_report/report_text.h"

#include "saved/samples.h"
#include "tests/unit/unit.h"

static struct sample sample;
static struct saved_report report;
static char text[2048];

typedef void append(const struct saved_report *, struct fmt_buffer *);

static void read_sample(void)
{
    saved_read(&sample.variables, &report);
}

static void finish(enum verdict verdict, const char *jsonl)
{
    sample_finished(&sample, verdict, jsonl, SAVED_VARIABLE_MAX);
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

TEST(headlines)
{
    finish(VERDICT_FAIL, SAMPLE_JSONL);
    assert_string_equal(made(report_append_headline), "FAIL, 1 bad page, 2026-11-22 13:14");
    finish(VERDICT_PASS, SAMPLE_JSONL);
    assert_string_equal(made(report_append_headline), "PASS, 2026-11-22 13:14");
    finish(VERDICT_PASS,
           SAMPLE_JSONL "{\"type\":\"result\",\"status\":\"pass\",\"complete\":true}\n");
    assert_string_equal(made(report_append_headline), "PASS, 2026-11-22 13:14");
    finish(VERDICT_PASS,
           SAMPLE_JSONL "{\"type\":\"result\",\"status\":\"pass\",\"complete\":false}\n");
    assert_string_equal(made(report_append_headline), "PARTIAL, 2026-11-22 13:14");
    finish(VERDICT_PASS, SAMPLE_JSONL "{\"type\":\"result\",\"status\":\"pass\",\"complete\":true,"
                                      "\"part_of_bytes\":5}\n");
    assert_string_equal(made(report_append_headline), "PARTIAL, 2026-11-22 13:14");
    finish(VERDICT_STOPPED, SAMPLE_JSONL);
    assert_string_equal(made(report_append_headline), "STOPPED, 2026-11-22 13:14");
    finish(VERDICT_CORRECTED, SAMPLE_JSONL);
    assert_string_equal(made(report_append_headline), "ERRORS CORRECTED, 2026-11-22 13:14");
    start();
    assert_string_equal(made(report_append_headline), "DID NOT FINISH, 2026-11-22 13:14");
    report.state.started[0] = 0;
    assert_string_equal(made(report_append_headline), "DID NOT FINISH, run at an unknown time");
    report.kind = SAVED_UNREADABLE;
    assert_string_equal(made(report_append_headline), "NOT READABLE");
}

/* It is kept first, without a result; a cut of the power then leaves it alone. */
TEST(a_verdict_alone)
{
    static const char jsonl[] = SAMPLE_STATE_OF(
        SAMPLE_BOARD, "\"faults\":0,\"bad_pages\":0,\"status\":\"pass\",\"complete\":false");

    sample_put(&sample, "done", jsonl, sizeof(jsonl) - 1, SAVED_VARIABLE_MAX);
    read_sample();
    assert_int_equal(report.kind, SAVED_WHOLE);
    assert_string_equal(made(report_append_headline), "PARTIAL, 2026-11-22 13:14");
    assert_non_null(strstr(made(report_append_summary),
                           "\nThis is the verdict; there was no time or no room for the whole "
                           "report.\n"));
}

#define SEARCH(headline)                                                                           \
    "{\"type\":\"diagnosis\",\"begun\":true,\"headline\":\"" headline "\",\"end\":null}\n"

/* A run of a search for the bad module: its next step, or its result, comes first. */
TEST(headlines_of_a_search)
{
    static const char *const no_headlines[] = { "<B>", "bad", "",
                                                "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };

    finish(VERDICT_PASS, SAMPLE_JSONL SEARCH("BAD MODULE FOUND"));
    assert_string_equal(made(report_append_headline), "BAD MODULE FOUND, 2026-11-22 13:14");
    assert_ptr_equal(strstr(made(report_append_summary),
                            "BAD MODULE FOUND. This run: PASS: no bad page.\nThe run began"),
                     text);
    finish(VERDICT_FAIL, SAMPLE_JSONL SEARCH("NEXT STEP"));
    assert_string_equal(made(report_append_headline), "NEXT STEP, 1 bad page, 2026-11-22 13:14");
    finish(VERDICT_ERROR, SAMPLE_JSONL SEARCH("NEXT STEP"));
    assert_string_equal(made(report_append_headline), "ERROR, 2026-11-22 13:14");
    for (size_t i = 0; i < sizeof(no_headlines) / sizeof(no_headlines[0]); i++) {
        char jsonl[200];

        snprintf(jsonl, sizeof(jsonl), "{\"type\":\"diagnosis\",\"headline\":\"%s\"}\n",
                 no_headlines[i]);
        finish(VERDICT_PASS, jsonl);
        assert_string_equal(made(report_append_headline), "PASS, 2026-11-22 13:14");
        assert_ptr_equal(strstr(made(report_append_summary), "PASS: no bad page.\n"), text);
    }
}

/* Of a run without a fault in which a CPU failed. */
TEST(a_headline_of_the_advice)
{
    finish(VERDICT_PASS,
           SAMPLE_JSONL "{\"type\":\"diagnosis\",\"begun\":false}\n"
                        "{\"type\":\"advice\",\"case\":\"cpu\",\"headline\":\"BAD CPU\"}\n");
    assert_string_equal(made(report_append_headline), "BAD CPU, 2026-11-22 13:14");
    assert_ptr_equal(
        strstr(made(report_append_summary), "BAD CPU. This run: PASS: no bad page.\nThe run"),
        text);
}

/* A page that is bad by ECC's reports alone: the text says so. */
TEST(errors_of_ecc)
{
    static const char jsonl[] =
        SAMPLE_STATE_OF(SAMPLE_BOARD, "\"faults\":0,\"bad_pages\":1") SAMPLE_JSONL
        "{\"type\":\"result\",\"status\":\"fail\",\"ecc\":{\"corrected\":43,\"uncorrected\":0,"
        "\"with_page\":43}}\n";

    sample_put(&sample, "done", jsonl, sizeof(jsonl) - 1, SAVED_VARIABLE_MAX);
    read_sample();
    assert_ptr_equal(
        strstr(made(report_append_summary), "FAIL: ECC corrected 43 errors in 1 page.\nThe run"),
        text);
    report.state.faults = 2;
    assert_ptr_equal(strstr(made(report_append_summary), "FAIL: 1 bad page, 2 faults.\n"), text);
}

TEST(summaries)
{
    finish(VERDICT_FAIL, SAMPLE_JSONL);
    assert_string_equal(
        made(report_append_summary),
        "FAIL: 1 bad page, 2 faults.\n"
        "The run began on 2026-11-22 13:14 by the machine's clock and took 90 s.\n"
        "1.5 GiB of 4 GiB tested by 8 CPUs, pass 1, okram 1.0, on QEMU Standard PC (Q35 + ICH9, "
        "2009).\n"
        "Tests: address, march-c-.\n");
    finish(VERDICT_FAIL, SAMPLE_JSONL "{\"type\":\"advice\",\"text\":\"Take it out. Go on.\"}\n");
    assert_non_null(
        strstr(made(report_append_summary), "march-c-.\nWhat to do next: Take it out. Go on.\n"));
    finish(VERDICT_FAIL, SAMPLE_JSONL "{\"type\":\"advice\",\"text\":\"Take the guard.\"}\n"
                                      "{\"type\":\"advice\",\"text\":\"Take it out.\"}\n");
    assert_non_null(
        strstr(made(report_append_summary), "march-c-.\nWhat to do next: Take it out.\n"));
    start();
    made(report_append_summary);
    assert_ptr_equal(strstr(text, "okram started on 2026-11-22 13:14 and did not finish: test "
                                  "march-c-, 1.5 GiB tested, CPU 3.\n"),
                     text);
    sample_finished(&sample, VERDICT_PASS, SAMPLE_JSONL, 600);
    sample.variables.part[1].bytes = NULL;
    read_sample();
    assert_non_null(strstr(made(report_append_summary), "INCOMPLETE: no bad page.\n"));
    assert_non_null(
        strstr(text, "OkramReport01 is missing. This is what is left of the report.\n"));
    assert_non_null(strstr(text, "pass 1, okram 1.0, on QEMU"));
    sample.part[0][sizeof(SAVED_HEAD_BEGIN "\"version\":") - 1] = '2';
    read_sample();
    assert_string_equal(made(report_append_summary),
                        "The variable OkramReport00 is damaged or not okram's: it is of a version "
                        "that this okram does not read.\n");
}

/* Nothing is said of what is not known. */
TEST(no_state)
{
    sample_put(&sample, "running", "{}", 2, SAVED_VARIABLE_MAX);
    read_sample();
    assert_int_equal(report.kind, SAVED_UNFINISHED);
    assert_string_equal(made(report_append_headline), "DID NOT FINISH, run at an unknown time");
    assert_ptr_equal(strstr(made(report_append_summary),
                            "okram started at an unknown time and did not finish: no test"),
                     text);
    assert_null(strstr(text, "okram ."));
}

TEST(many_tests)
{
    char jsonl[8000] = "";

    for (int i = 0; i < 100; i++)
        sprintf(jsonl + strlen(jsonl), "{\"type\":\"test\",\"test\":\"test-%d\"}\n", i % 50);
    finish(VERDICT_PASS, jsonl);
    made(report_append_summary);
    assert_non_null(strstr(text, "Tests: test-0, test-1, "));
    assert_non_null(strstr(text, "....\n")); /* cut */
}

TEST(the_line)
{
    static char line[REPORT_LINE_MAX];

    finish(VERDICT_FAIL, SAMPLE_JSONL);
    report_line(&report, line);
    assert_string_equal(line, SAMPLE_LINE);
    finish(VERDICT_FAIL, SAMPLE_JSONL "{\"type\":\"badram\",\"line\":\"badram=0x1000,0x2000\"}\n");
    report_line(&report, line);
    assert_string_equal(line, "badram=0x1000,0x2000"); /* the last one */
    finish(VERDICT_FAIL, "{\"type\":\"badram\",\"line\":\"badram=0x1; reboot\"}\n");
    report_line(&report, line);
    assert_string_equal(line, "");
    finish(VERDICT_PASS, "no JSON\n");
    report_line(&report, line);
    assert_string_equal(line, "");
    start();
    report_line(&report, line);
    assert_string_equal(line, "");
}

TEST(names)
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
        report.state.started[0] = 0;
        b = fmt_buffer_make(text, REPORT_NAME_MAX - 7);
        report_append_name(&report, 1000, &b);
        assert_false(b.cut);
        assert_ptr_equal(strstr(text, "undated-"), text);
        assert_string_equal(text + strlen(text) - 5, "-1000");
    }
}
