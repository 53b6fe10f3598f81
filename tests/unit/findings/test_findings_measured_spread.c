// SPDX-License-Identifier: MIT
#include "findings/findings_measured.c" /* whether one figure is truly below another */

#include "tests/unit/unit.h"

/* Both sides of the limit, for critical values that SciPy's t.isf has. */
TEST(as_the_distribution_says)
{
    static const struct {
        uint32_t n;
        uint32_t comparisons;
        float critical;
    } cases[] = {
        { 2, 2, 14.09f },  /* 2 degrees of freedom, for two rows of two */
        { 5, 2, 3.83f },   /* 8 */
        { 5, 1, 3.83f },   /* fewer comparisons than the table has */
        { 5, 3, 5.19f },   /* as for 12 */
        { 5, 56, 6.55f },  /* of 8 nodes */
        { 20, 2, 3.03f },  /* 38: as for 30 */
        { 200, 2, 2.86f }, /* more than the table has */
        { 5, 5000, 11.77f },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t n = cases[i].n;
        struct spread b = { n, 1000, 1 }, a = b;
        float step = cases[i].critical * 1.41421356f / __builtin_sqrtf((float)n);

        a.mean = 1000 - 0.99f * step;
        assert_false(spread_is_below(a, b, 1, cases[i].comparisons));
        a.mean = 1000 - 1.01f * step;
        assert_true(spread_is_below(a, b, 1, cases[i].comparisons));
        assert_false(spread_is_below(b, a, 1, cases[i].comparisons));
    }
}

TEST(a_row_without_spread)
{
    const struct spread a = { 5, 99, 0 }, b = { 5, 100, 0 }, one = { 1, 10, 0 }, none = { 0 };

    assert_true(spread_is_below(a, b, 1, 2));
    assert_false(spread_is_below(a, b, 0.99, 2)); /* as much */
    assert_true(spread_is_below(b, a, 1.02, 2));
    assert_false(spread_is_below(one, b, 1, 2));
    assert_false(spread_is_below(a, (struct spread){ 1, 1000, 0 }, 1, 2));
    assert_false(spread_is_below(none, b, 1, 2));
    assert_false(spread_is_below(a, none, 1, 2));
}
