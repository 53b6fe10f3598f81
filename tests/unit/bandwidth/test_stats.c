// SPDX-License-Identifier: MIT
#include "bandwidth/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/splitmix.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void assert_near(double found, double expected)
{
    assert_true(fabs(found - expected) <= 1e-12 * fabs(expected));
}

static void test_rows(void **state)
{
    static const struct {
        double x[4];
        int n;
        double mean, stddev, min, max;
    } rows[] = {
        { { 0 }, 0, 0, 0, 0, 0 },
        { { 5 }, 1, 5, 0, 5, 5 },
        { { -3 }, 1, -3, 0, -3, -3 },
        { { 2, 4 }, 2, 3, M_SQRT2, 2, 4 },
        { { 7, 7, 7, 7 }, 4, 7, 0, 7, 7 },
        { { 4, 3, 2, 1 }, 4, 2.5, 1.2909944487358056, 1, 4 },
        { { -1, 1, -1, 1 }, 4, 0, 1.1547005383792515, -1, 1 },
        /* a spread that the sum of squares would lose */
        { { 1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16 },
          4,
          1e9 + 10,
          5.477225575051661,
          1e9 + 4,
          1e9 + 16 },
    };

    for (size_t r = 0; r < COUNT(rows); r++) {
        struct stats s = { 0 };

        for (int i = 0; i < rows[r].n; i++)
            stats_add(&s, rows[r].x[i]);
        assert_int_equal(s.n, rows[r].n);
        assert_near(s.mean, rows[r].mean);
        assert_near(stats_stddev(&s), rows[r].stddev);
        assert_true(s.min == rows[r].min);
        assert_true(s.max == rows[r].max);
    }
}

/* Against the two passes of the definition, after every value of a long row. */
static void test_definition(void **state)
{
    static double x[1000];
    struct stats s = { 0 };
    uint64_t random = 1;

    for (size_t n = 1; n <= COUNT(x); n++) {
        double mean = 0, squares = 0;

        x[n - 1] = 14000.0 + (double)(splitmix_next(&random) >> 40) / 1e4;
        stats_add(&s, x[n - 1]);

        for (size_t i = 0; i < n; i++)
            mean += x[i] / (double)n;
        for (size_t i = 0; i < n; i++)
            squares += (x[i] - mean) * (x[i] - mean);
        assert_near(s.mean, mean);
        if (n > 1)
            assert_true(fabs(stats_stddev(&s) / sqrt(squares / (double)(n - 1)) - 1) < 1e-9);
        assert_true(s.min <= s.mean && s.mean <= s.max);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_definition),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
