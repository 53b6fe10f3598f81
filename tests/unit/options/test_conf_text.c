// SPDX-License-Identifier: MIT
#include "options/conf_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define BYTES(text) text, sizeof(text) - 1

static void turns_utf16_into_ascii(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *text;
    } cases[] = {
        { BYTES("tests=quick\r\n"), "tests=quick\r\n" }, /* no UTF-16 */
        { BYTES("\xef\xbb\xbf"
                "a=b"),
          "\xef\xbb\xbf"
          "a=b" },
        { BYTES("\xff\xfe"
                "a\0=\0b\0\n\0"),
          "a=b\n" },
        { BYTES("\xfe\xff"
                "\0a\0=\0b\0\n"),
          "a=b\n" },
        { BYTES("a\0=\0b\0"), "a=b" }, /* without a mark */
        { BYTES("\0a\0=\0b"), "a=b" },
        { BYTES("\xff\xfe"
                "#\0\xe4\0\xac\x20\x3d\xd8\x00\xde\n\0"),
          "#???\n" },
        { BYTES("\xff\xfe"
                "a\0=\0b"),
          "a=" }, /* half a character */
        { BYTES("\xff\xfe"), "" },
        { BYTES("\xff"), "\xff" },
        { BYTES("a"), "a" },
        { BYTES(""), "" },
        { BYTES("\xe4"
                "b=c"),
          "\xe4"
          "b=c" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];
        size_t n;

        memset(text, 'x', sizeof(text));
        memcpy(text, cases[i].bytes, cases[i].n);
        n = conf_text_make(text, cases[i].n);
        assert_int_equal(n, strlen(cases[i].text));
        assert_memory_equal(text, cases[i].text, n);
        assert_int_equal(text[cases[i].n], 'x');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_utf16_into_ascii),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
