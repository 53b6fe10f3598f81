// SPDX-License-Identifier: MIT
#include "kind/kind_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Banks by 13 ^ 16 and 14; rows are the bits 16 to 18. */
static const struct row_map map = {
    .n_functions = 2, .function = { 0x12000, 0x4000 }, .row = 0x70000, .column = 0x1fff
};

static struct kind_words words;

static const struct {
    size_t n;
    uint64_t addr[3];
    const char *text;
} cases[] = {
    { 0, { 0 }, "" },
    { 1, { 0x74008 }, "; all in row 0x7 of bank 3, by timing" },
    { 3, { 0, 0x1000, 0x1ff8 }, "; all in row 0x0 of bank 0, by timing" },
    { 2, { 0, 0x12000 }, "; in rows 0x0 to 0x1 of bank 0, by timing" },
    { 3, { 0x32000, 0x20000, 0x32000 }, "; in rows 0x2 to 0x3 of bank 0, by timing" },
    { 3, { 0, 0x8, 0x2000 }, "; in several banks, by timing" },
    { 2, { 0, 0x10000 }, "; in several banks, by timing" },
};

static void banks_and_rows(void **state)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[100] = "";
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
        struct kind_rows rows;

        words.n = cases[i].n;
        for (size_t k = 0; k < words.n; k++)
            words.word[k] = (struct kind_word){ .addr = cases[i].addr[k] };
        kind_rows_make(&words, NULL, &rows);
        kind_rows_append(&b, &rows);
        assert_string_equal(text, "");
        kind_rows_make(&words, &map, &rows);
        kind_rows_append(&b, &rows);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(banks_and_rows) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
