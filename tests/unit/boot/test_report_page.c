// SPDX-License-Identifier: MIT
#include "boot/uefi/last_report/report_page.h"

#include <string.h>

#include "tests/unit/unit.h"

#define END  "</pre>\n</html>\n"
#define HEAD (REPORT_VIEWER_MAX - sizeof(END) - 1)

/* As long as the build lets them be. */
const char viewer_head[HEAD + 1] = { [0 ... HEAD - 1] = 'h' };
const char viewer_end[] = END;

static struct saved_report report;
static char page[REPORT_PAGE_MAX];

/* The records of the page that is made of report.jsonl. */
static const char *made(void)
{
    struct fmt_buffer b = fmt_buffer_make(page, sizeof(page));

    report_append_page(&report, &b);
    assert_false(b.cut);
    assert_memory_equal(page, viewer_head, HEAD);
    assert_string_equal(page + b.length - strlen(END), END);
    page[b.length - strlen(END)] = 0;
    return page + HEAD;
}

static void becomes(const char *jsonl, const char *wanted)
{
    strcpy(report.jsonl, jsonl);
    assert_string_equal(made(), wanted);
}

TEST(records_between_the_viewers_ends)
{
    becomes("", "");
    becomes("{\"type\":\"a\"}\n{\"t\":1,\"also\":{\"t\":[2]}}\n",
            "{\"type\":\"a\"}\n{\"t\":1,\"also\":{\"t\":[2]}}\n");
    becomes("{\"no\":\"newline\"}", "{\"no\":\"newline\"}");
}

TEST(no_text_becomes_markup)
{
    becomes("</pre><script>\n<!--", "\\u003c/pre>\\u003cscript>\n\\u003c!--");
    becomes("&lt;&", "\\u0026lt;\\u0026");
    becomes("\"\\\\<\\u003c\"", "\"\\\\\\u003c\\u003c\"");
}

TEST(only_text_is_left)
{
    becomes("a \"b\" 'c'\n\td", "a \"b\" 'c'\n\td");
    becomes("\x1b[2J\x7f\r", "?[2J?\?");
    becomes("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
    becomes("\xff \xc3( \xe2\x82", "? ?( ?\?");
    becomes("\xc0\xaf \xe0\x80\x80 \xed\xa0\x80 \xf4\x90\x80\x80", "?\? ?\?? ?\?? ?\?\?\?");
}

TEST(the_longest_page)
{
    for (const char *c = "<&\x01{"; *c; c++) {
        memset(report.jsonl, *c, sizeof(report.jsonl) - 1);
        report.jsonl[sizeof(report.jsonl) - 1] = 0;
        assert_int_equal(strlen(made()),
                         (sizeof(report.jsonl) - 1) * (strchr("<&", *c) ? REPORT_ESCAPE_MAX : 1));
    }
}
