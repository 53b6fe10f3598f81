// SPDX-License-Identifier: MIT
#include "boot/uefi/last_report/html_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void becomes(const char *text, const char *wanted)
{
    char html[200];
    struct fmt_buffer b = fmt_buffer_make(html, sizeof(html));

    html_append_text(&b, text);
    assert_string_equal(html, wanted);
}

static void only_text_is_left(void **state)
{
    becomes("a \"b\" 'c'\n\td", "a \"b\" 'c'\n\td");
    becomes("<b>&amp;</b>", "&lt;b&gt;&amp;amp;&lt;/b&gt;");
    becomes("\x1b[2J\x7f\r", "?[2J?\?");
    becomes("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
    becomes("\xff \xc3( \xe2\x82", "? ?( ?\?");
    becomes("\xc0\xaf \xe0\x80\x80 \xed\xa0\x80 \xf4\x90\x80\x80", "?\? ?\?? ?\?? ?\?\?\?");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(only_text_is_left) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
