// SPDX-License-Identifier: MIT
#include "testing/span_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct {
    struct span add[4];
    uint64_t bytes;
} cases[] = {
    { { { 0 } }, 0 },
    { { { 10, 5 } }, 5 },
    { { { 10, 5 }, { 10, 5 } }, 5 },          /* again */
    { { { 10, 5 }, { 15, 5 } }, 10 },         /* one after the other */
    { { { 10, 5 }, { 14, 5 } }, 9 },          /* one byte in common */
    { { { 10, 10 }, { 12, 3 } }, 10 },        /* within */
    { { { 12, 3 }, { 10, 10 } }, 10 },        /* around */
    { { { 0, 4 }, { 8, 4 }, { 2, 8 } }, 12 }, /* a bridge */
    { { { 8, 4 }, { 0, 4 }, { 2, 8 }, { 100, 1 } }, 13 },
    { { { UINT64_MAX - 9, 9 }, { 0, 1 } }, 10 },
};

static void test_each_byte_counts_once(void **state)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        static struct span_set set;

        set = (struct span_set){ 0 };
        for (size_t k = 0; k < 4; k++)
            span_set_add(&set, cases[i].add[k]);
        assert_int_equal(span_set_bytes(&set), cases[i].bytes);
    }
}

static void test_a_full_set_still_grows(void **state)
{
    static struct span_set set;

    for (uint64_t i = 0; i <= SPAN_SET_MAX; i++)
        span_set_add(&set, (struct span){ 10 * i, 1 });
    assert_int_equal(span_set_bytes(&set), SPAN_SET_MAX);
    span_set_add(&set, (struct span){ 0, 11 });
    assert_int_equal(span_set_bytes(&set), SPAN_SET_MAX - 2 + 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_byte_counts_once),
        cmocka_unit_test(test_a_full_set_still_grows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
