// SPDX-License-Identifier: MIT
#include "self/page_sum.h"

#include "tests/unit/unit.h"

static const struct {
    uint32_t actual[2], kept[2];
    bool agree;
    uint32_t sum;
} cases[] = {
    { { 1, 1 }, { 1, 1 }, true, 1 }, { { 2, 1 }, { 1, 1 }, true, 1 }, /* one is wrong */
    { { 1, 2 }, { 1, 1 }, true, 1 }, { { 1, 1 }, { 2, 1 }, true, 1 },
    { { 1, 1 }, { 1, 2 }, true, 1 }, { { 1, 1 }, { 2, 3 }, true, 1 }, /* both kept ones */
    { { 2, 3 }, { 1, 1 }, true, 1 },                                  /* page and copy */
    { { 2, 1 }, { 3, 1 }, true, 1 },                                  /* one of each */
    { { 1, 2 }, { 1, 3 }, true, 1 }, { { 1, 2 }, { 3, 1 }, true, 1 },
    { { 2, 2 }, { 1, 1 }, true, 1 }, /* two against two: the kept ones */
    { { 2, 1 }, { 2, 1 }, true, 2 }, { { 1, 2 }, { 3, 4 }, false, 0 },
};

TEST(test_votes)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t sum = 0;

        assert_int_equal(page_sum_vote(cases[i].actual, cases[i].kept, &sum), cases[i].agree);
        assert_int_equal(sum, cases[i].sum);
    }
}
