// SPDX-License-Identifier: MIT
#include "boot/uefi/last_report/report_html.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "saved/samples.h"

static struct sample sample;
static struct saved_report report;
static char html[REPORT_HTML_MAX];

static void make(void)
{
    struct fmt_buffer b = fmt_buffer_make(html, sizeof(html));

    saved_read(&sample.variables, &report);
    report_append_html(&report, &b);
    assert_false(b.cut);
    assert_int_equal(strncmp(html, "<!DOCTYPE html>\n", 16), 0);
    assert_string_equal(html + b.length - 16, "</body>\n</html>\n");
}

static bool has(const char *text)
{
    return strstr(html, text) != NULL;
}

static void a_page(void **state)
{
    sample_finished(&sample, SAVED_FAIL, SAMPLE_JSONL, SAVED_VARIABLE_MAX);
    make();
    assert_true(has("<title>okram: FAIL, 1 bad page, 2026-11-22 13:14</title>"));
    assert_true(has("<h1 class=\"fail\">FAIL</h1>"));
    assert_true(has("<pre>\n" SAMPLE_LINE "</pre>"));
    assert_true(has("<tr><td>0x5000000</td><td>0xffffffffff000</td></tr>\n</table>"));
    assert_true(has("<h2>Report</h2>\n<pre>\n[     0.1] okram 1.0, firmware: uefi,"));
    assert_true(has("sacrificed pages: 1\n" SAMPLE_LINE "\n"));
    assert_true(has("<h2>JSON lines</h2>\n<pre>\n{\"t\":90,"));
    assert_true(has("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "));
    assert_false(has("<script") || has("http:") || has("https:") || has("All RAM"));

    sample_finished(&sample, SAVED_PASS, "{}\n", SAVED_VARIABLE_MAX);
    make();
    assert_true(has("<h1 class=\"pass\">PASS</h1>"));
    assert_false(has("Bad pages") || has("Line for"));

    sample_started(&sample);
    make();
    assert_true(has("<h1 class=\"stopped\">DID NOT FINISH</h1>"));
    assert_true(has("test march-c-, 1.5 GiB tested, CPU 3.</p>"));
}

static void escapes_everything(void **state)
{
    static const char records[] = SAMPLE_STATE_OF(
        "<b>&",
        "\"faults\":1") "{\"type\":\"start\",\"version\":\"</p>\"}\n"
                        "{\"type\":\"badram\",\"line\":\"</pre><script>\"}\n"
                        "{\"type\":\"test\",\"test\":\"<i>\",\"note\":\"<script>\"}\n"
                        "</pre><script>\x1b[2J\x7f\xff\xc3\xa4\xc3(\xed\xa0\x80\xe2\x82\xac\xe2\x82\n"
                        "{\"type\":\"result\",\"status\":\"fail\"}\n";

    sample_put(&sample, "done", records, sizeof(records) - 1, SAVED_VARIABLE_MAX);
    make();
    assert_int_equal(report.kind, SAVED_WHOLE);
    assert_false(has("<script") || has("<b>") || has("<i>") || has("okram </p>"));
    assert_true(has("on &lt;b&gt;&amp;."));
    assert_true(has("Tests: &lt;i&gt;."));
    assert_true(has("test &lt;i&gt;, pass ?: ? s, ? swept, faults: ? (&lt;script&gt;)\n"));
    assert_true(has("&lt;script&gt;?[2J?\?\xc3\xa4?(?\?\?\xe2\x82\xac?\?\n"));
}

/* A record of the longest report but what `begin` and `end` need, made of one piece repeated. */
static void put_long(const char *begin, const char *piece, const char *end)
{
    static char records[SAMPLE_RECORDS_MAX + 1];
    size_t n = string_copy(records, begin, sizeof(records));

    while (n + strlen(piece) + strlen(end) < sizeof(records))
        n += string_copy(records + n, piece, sizeof(records) - n);
    string_copy(records + n, end, sizeof(records) - n);
    sample_finished(&sample, SAVED_FAIL, records, SAVED_VARIABLE_MAX);
    make();
    assert_int_equal(report.kind, SAVED_WHOLE);
}

/* What becomes longest: patterns as short as can be, characters to escape, many records. */
static void the_longest_page(void **state)
{
    put_long("{\"type\":\"badram\",\"line\":\"badram=1,1", ",1,1", "\"}\n");
    assert_true(has("<td>1</td>"));
    put_long("{\"type\":\"picture\",\"cell_bytes\":1048576,\"nodes\":[{\"node\":0,"
             "\"cells\":\"512X\"}]}\n{\"type\":\"badram\",\"line\":\"badram=1,1",
             ",1,1", "\"}\n");
    assert_true(has("aria-label=\"512 cells bad page\""));
    put_long("{\"type\":\"start\",\"cmdline\":\"", "&", "\"}\n");
    put_long("", "{\"type\":\"result\"}\n", "");
    put_long("", "{\"type\":\"mce\"}\n", "");
    assert_true(has("machine check on CPU ?, bank ?: status ?, address ?, corrected: ?\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page),
        cmocka_unit_test(escapes_everything),
        cmocka_unit_test(the_longest_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
