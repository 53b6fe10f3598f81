// SPDX-License-Identifier: MIT
#include "report/capture.h"
#include "report/report.h"
#include "tests/unit/unit.h"

static struct report report;
static struct capture c;

static const struct event start = { EVENT_START, 0.5,
                                    .start = { "0.1.0", "bios", "GRUB 2.06", "" } };

static void begin(enum report_form form)
{
    capture_free(&c);
    report_init(&report, form, capture_writer(&c));
    report_receive(&report, &start);
}

TEST(the_form_decides)
{
    begin(REPORT_TEXT);
    assert_non_null(strstr(c.text, "[     0.500] okram 0.1.0"));
    begin(REPORT_JSONL);
    assert_non_null(strstr(c.text, "\"type\":\"start\""));
    begin(REPORT_NONE);
    assert_int_equal(c.length, 0);
    report_panic(&report, REASON_NONE, "reason");
    assert_int_equal(c.length, 0);
    capture_free(&c);
}

TEST(a_panic_is_the_last_entry)
{
    begin(REPORT_TEXT);
    c.length = 0;
    report_panic(&report, REASON_NONE, "page fault\nrip 0");
    assert_string_equal(c.text, "page fault\nrip 0\n");
    begin(REPORT_JSONL);
    c.length = 0;
    report_panic(&report, REASON_NONE, "page fault\nrip 0");
    assert_memory_equal(c.text, "{\"t\":0.500000,\"type\":\"result\",\"status\":\"error\"", 45);
    assert_non_null(strstr(c.text, "\"error\":\"page fault\\u000arip 0\"}\n"));
    capture_free(&c);
}

TEST(who_asks_gets_the_line)
{
    static const struct cover cover = { .pattern = { { 0x5000, 0xffffffffff000 } },
                                        .n_patterns = 1 };
    static char line[1000] = "badram=";
    const struct event badram = { EVENT_BADRAM, 1, .badram = { 1, &cover, line, false } };

    memset(line + 7, 'x', sizeof(line) - 8);
    for (enum report_form form = REPORT_TEXT; form <= REPORT_JSONL; form++) {
        begin(form);
        for (int i = 0; i < 100; i++) /* more than the port may take in a second */
            report_receive(&report, &badram);
        c.length = 0;
        report_receive(&report, &badram);
        assert_int_equal(c.length, 0);
        report_ask(&report);
        report_receive(&report, &badram);
        assert_true(c.length > sizeof(line));
    }
    capture_free(&c);
}
