// SPDX-License-Identifier: MIT
#include "lib/spans.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

static void what_is_cut_is_left_out(void **state)
{
    static const struct span free[] = { { 0x1000, 0x4000 }, { 0x8000, 0x8000 } };
    static const struct span cut[] = { { 0x2000, 0x1000 }, { 0x4000, 0x5000 }, { 0xf000, 0x9000 } };
    static const struct span expected[] = { { 0x1000, 0x1000 },
                                            { 0x3000, 0x1000 },
                                            { 0x9000, 0x6000 } };
    struct span outside[2 + 3];

    assert_int_equal(spans_outside(free, 2, cut, 3, outside), 3);
    assert_memory_equal(outside, expected, sizeof(expected));
    assert_int_equal(spans_outside(free, 2, NULL, 0, outside), 2);
    assert_memory_equal(outside, free, sizeof(free));
    assert_int_equal(spans_outside(free, 1, free, 2, outside), 0);
}

static void nothing_is_not_added(void **state)
{
    struct span spans[1] = { { 0 } };

    assert_int_equal(spans_add(spans, 0, 0x2000, 0x2000), 0);
    assert_int_equal(spans_add(spans, 0, 0x3000, 0x2000), 0);
    assert_int_equal(spans_add(spans, 0, 0x1000, 0x2000), 1);
    assert_int_equal(spans[0].base, 0x1000);
    assert_int_equal(spans[0].size, 0x1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_cut_is_left_out),
        cmocka_unit_test(nothing_is_not_added),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
