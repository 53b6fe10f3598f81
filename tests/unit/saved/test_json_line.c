// SPDX-License-Identifier: MIT
#include "saved/json_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *line, *key, *value; /* NULL: none */
} cases[] = {
    { "{\"a\":\"x\",\"b\":12}", "a", "x" },
    { "{\"a\":\"x\",\"b\":12}", "b", "12" },
    { " { \"a\" : \"x\" , \"b\" : null } ", "b", "null" },
    { "{\"b\":{\"a\":1},\"a\":2}", "a", "2" },
    { "{\"b\":[[\"a\",\"]\"],{\"a\":[]}],\"a\":\"\"}", "a", "" },
    { "{\"b\":\"\\\"a\\\":1\",\"a\":3}", "a", "3" },
    { "{\"a\":\"q\\\"\\\\\\/\\n\xc3\xa4\"}", "a", "q\"\\/?\?\?" },
    { "{\"a\":[1]}", "a", NULL },
    { "{\"ab\":1}", "a", NULL },
    { "{\"b\":\"a\"}", "a", NULL },
    { "{}", "a", NULL },
    { "", "a", NULL },
    { "x", "a", NULL },
    { "{\"a\"", "a", NULL },
    { "{\"a\":", "a", NULL },
    { "{\"a\":,\"b\":1}", "a", NULL },
    { "{\"a\":\"x", "a", NULL },
    { "{\"a\":\"x\\", "a", NULL },
    { "{\"a\":\"x\n\"}", "a", NULL },
    { "{\"b\":[[[\",\"a\":1}", "a", NULL },
    { "{\"b\":1\n,\"a\":1}", "a", NULL },
    { "{\"b\":1]]]],\"a\":1}", "a", NULL },
    { "{\"a\":\"12345678\"}", "a", NULL }, /* one more than there is room */
};

static void finds_the_objects_own_key(void **state)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *line = strdup(cases[i].line), out[8];

        if (json_line_value(line, cases[i].key, out, sizeof(out)))
            assert_string_equal(out, cases[i].value ? cases[i].value : "nothing");
        else
            assert_null(cases[i].value);
        free(line);
    }
}

static void goes_from_line_to_line(void **state)
{
    const char *text = "a\nb\n";

    assert_ptr_equal(json_line_next(text), text + 2);
    assert_null(json_line_next(text + 2));
    assert_null(json_line_next("a"));
    assert_null(json_line_next(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_objects_own_key),
        cmocka_unit_test(goes_from_line_to_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
