// SPDX-License-Identifier: MIT
#include "sweep/sections.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sweep/order.h"

#define MIB (UINT64_C(1) << 20)

/* Workers that begin late need many sections, lanes need large ones: a slice each, at most. */
static void large_ones_for_lanes_and_more_for_many_workers(void **state)
{
    assert_int_equal(sections_count(8192 * MIB, 1, true, true), 64);
    assert_int_equal(sections_count(8192 * MIB, 16, true, true), 128);
    assert_int_equal(sections_count(8192 * MIB, 1024, true, true), 2048);
    assert_int_equal(sections_count(256 * MIB, 2, true, true), ORDER_SECTIONS_MIN);
    assert_int_equal(sections_count(0, 2, true, true), ORDER_SECTIONS_MIN);
    assert_int_equal(sections_count(UINT64_C(1) << 40, 2, true, true), 8192);
}

static void small_ones_without_lanes(void **state)
{
    assert_int_equal(sections_count(8192 * MIB, 1, false, true), 4096);
    assert_int_equal(sections_count(8192 * MIB, 1024, false, true), 4096);
    assert_int_equal(sections_count(14 * MIB, 2, false, true), ORDER_SECTIONS_MIN);
}

/* In little memory a coupling between two workers' lines was missed where there were few. */
static void many_where_not_all_lines_are_ordered(void **state)
{
    for (uint64_t bytes = 1 * MIB; bytes <= 64 * MIB; bytes *= 2) {
        assert_int_equal(sections_count(bytes, 2, false, false), 64);
        assert_int_equal(sections_count(bytes, 2, true, false), 64);
    }
    assert_int_equal(sections_count(8192 * MIB, 1, false, false), 4096);
    assert_int_equal(sections_count(8192 * MIB, 16, true, false), 128);
    assert_int_equal(sections_count(4096, 2, false, false), 64);
    assert_int_equal(sections_count(0, 2, false, false), ORDER_SECTIONS_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_ones_for_lanes_and_more_for_many_workers),
        cmocka_unit_test(small_ones_without_lanes),
        cmocka_unit_test(many_where_not_all_lines_are_ordered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
