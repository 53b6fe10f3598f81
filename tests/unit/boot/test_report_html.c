// SPDX-License-Identifier: MIT
#include "boot/uefi/report_html.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "save/samples.h"

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
    sample_finished(&sample, SAVED_FAIL, SAMPLE_JSONL, SAMPLE_TEXT, SAVED_PART_BYTES_MAX);
    make();
    assert_true(has("<title>okram: FAIL, 1 bad page, 2026-11-22 13:14</title>"));
    assert_true(has("<h1 class=\"fail\">FAIL</h1>"));
    assert_true(has("<pre>\n" SAMPLE_LINE "</pre>"));
    assert_true(has("<tr><td>0x5000000</td><td>0xffffffffff000</td></tr>\n</table>"));
    assert_true(has("okram: FAIL &lt;1 bad page&gt; &amp; its line\n"));
    assert_true(has("<h2>JSON lines</h2>\n<pre>\n{\"t\":0.1,"));
    assert_false(has("<script") || has("http"));

    sample_finished(&sample, SAVED_PASS, "{}\n", "fine\n", SAVED_PART_BYTES_MAX);
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
    sample_finished(&sample, SAVED_FAIL, "{\"type\":\"badram\",\"line\":\"</pre><script>\"}\n",
                    "</pre><script>\x1b[2J\x7f\xff\xc3\xa4\xc3(\xed\xa0\x80\xe2\x82\xac\xe2\x82\n",
                    SAVED_PART_BYTES_MAX);
    string_copy(sample.state.board, "<b>&", sizeof(sample.state.board));
    string_copy(sample.state.okram, "</p>", sizeof(sample.state.okram));
    sample_seal(&sample);
    make();
    assert_false(has("<script") || has("<b>") || has("okram </p>"));
    assert_true(has("on &lt;b&gt;&amp;."));
    assert_true(has("&lt;script&gt;?[2J?\?\xc3\xa4?(?\?\?\xe2\x82\xac?\?\n"));
}

/* What becomes longest: patterns as short as can be, characters to escape. */
static void the_longest_page(void **state)
{
    static char jsonl[SAVED_TEXT_MAX], text[SAVED_TEXT_MAX];
    size_t room = SAVED_PARTS_MAX * SAVED_PART_BYTES_MAX, n;

    n = string_copy(jsonl, "{\"type\":\"badram\",\"line\":\"badram=1,1", sizeof(jsonl));
    while (n < room / 2)
        n += string_copy(jsonl + n, ",1,1", sizeof(jsonl) - n);
    n += string_copy(jsonl + n, "\"}\n", sizeof(jsonl) - n);
    memset(text, '&', room - n);
    sample_finished(&sample, SAVED_FAIL, jsonl, text, SAVED_PART_BYTES_MAX);
    make();
    assert_int_equal(report.kind, SAVED_WHOLE);
    assert_true(has("<td>1</td>"));

    n = string_copy(jsonl, "{\"type\":\"badram\",\"line\":\"badram=1,1", sizeof(jsonl));
    while (n + 8 < room)
        n += string_copy(jsonl + n, ",1,1", sizeof(jsonl) - n);
    n += string_copy(jsonl + n, "\"}\n", sizeof(jsonl) - n);
    sample_finished(&sample, SAVED_FAIL, jsonl, "", SAVED_PART_BYTES_MAX);
    make();
    assert_int_equal(report.kind, SAVED_WHOLE);
    assert_true(has("<td>1</td>"));
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
