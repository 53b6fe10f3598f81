// SPDX-License-Identifier: MIT
#include "lib/gap.h"

#include "tests/unit/unit.h"

enum { SECOND = 1000, LIMIT = 5 * SECOND };

TEST(counts_a_part_of_a_long_gap)
{
    static const struct {
        uint64_t last, now, counted;
    } cases[] = {
        { 7, 7, 0 },
        { 7, 8, 1 },
        { 0, SECOND - 1, SECOND - 1 },
        { 0, SECOND, SECOND },
        { 0, SECOND + 1, SECOND },
        { 0, UINT64_MAX, SECOND },
        { UINT64_MAX - 1, 2, 4 }, /* the counter has wrapped */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t last = cases[i].last;

        assert_int_equal(gap_counted(&last, cases[i].now, SECOND), cases[i].counted);
        assert_int_equal(last, cases[i].now);
    }
}

/* Looks every 20 ms, but all stand still from 1 s to 7 s: the limit is at 10 s, not at 5 s. */
TEST(a_standstill_does_not_end_the_time)
{
    uint64_t last = 0, counted = 0, now = 0;

    while (counted < LIMIT) {
        now += now == 1 * SECOND ? 6 * SECOND : 20;
        counted += gap_counted(&last, now, SECOND);
    }
    assert_int_equal(now, 10 * SECOND);
}
