// SPDX-License-Identifier: MIT
#include "lib/confidence.h"

#include <math.h>

#include "tests/unit/unit.h"

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-5 * fabs(b) + 1e-12;
}

/* Of the definition: each limit is missed with a probability of exactly that much. */
TEST(of_a_part)
{
    static const struct {
        uint32_t k, n;
        double low, high;
    } cases[] = {
        { 0, 0, 0, 1 },
        { 0, 20, 0, 0.139108 },
        { 1, 20, 0.001265, 0.248733 },
        { 3, 20, 0.032071, 0.378927 },
        { 10, 20, 0.271958, 0.728042 },
        { 20, 20, 0.860892, 1 },
        { 1, 1, 0.05, 1 },
        { 0, 1, 0, 0.95 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct confidence c = confidence_part(cases[i].k, cases[i].n);

        assert_true(fabs(c.low - cases[i].low) < 2e-5);
        assert_true(fabs(c.high - cases[i].high) < 2e-5);
    }
    for (uint32_t k = 0; k <= 1000; k += 50) {
        struct confidence c = confidence_part(k, 1000), other = confidence_part(1000 - k, 1000);

        assert_true(c.low <= k / 1000.0 && k / 1000.0 <= c.high);
        assert_true(is_near(c.low, 1 - other.high) || fabs(c.low - 1 + other.high) < 1e-9);
    }
}

/* How probable limits are that hold, where `part` of all are so. */
static double coverage(double part, uint32_t n)
{
    double term = pow(1 - part, n), sum = 0;

    for (uint32_t k = 0; k <= n; k++) {
        struct confidence c = confidence_part(k, n);

        sum += c.low <= part && part <= c.high ? term : 0;
        term *= (double)(n - k) / (k + 1) * part / (1 - part);
    }
    return sum;
}

TEST(limits_hold_as_the_header_says)
{
    for (uint32_t n = 5; n <= 60; n += 5) {
        for (double part = 0.01; part < 1; part += 0.01) {
            double of_n = part * n;
            bool is_near_three = fabs(of_n - 3) < 0.6 || fabs(n - of_n - 3) < 0.6;

            assert_true(coverage(part, n) >= (is_near_three ? 0.925 : 0.95));
        }
    }
    assert_true(coverage(3.2 / 50, 50) < 0.95);
}

TEST(says_what_is_excluded)
{
    static const struct {
        uint64_t reads;
        double seconds;
        bool says;
        uint64_t one_in;
        double per_hour;
    } cases[] = {
        { 0, 60, false, 0, 0 },
        { 2, 60, false, 0, 0 },
        { 3, 60, true, 1, 180 },
        { 5, 60, true, 1, 180 },
        { 6, 3600, true, 2, 3 },
        { 300, 10800, true, 100, 1 },
        { 301, 36000, true, 100, 0.3 },
        { 6, 0, false, 0, 0 },
        { 6, -1, false, 0, 0 },
        { 6, (double)NAN, false, 0, 0 },
        { UINT64_MAX, 3600, true, UINT64_MAX / 3, 3 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct excluded e = { 7, 7, 7, 7 };

        assert_int_equal(excluded_make(cases[i].reads, cases[i].seconds, &e), cases[i].says);
        assert_int_equal(e.reads, cases[i].says ? cases[i].reads : 0);
        assert_int_equal(e.one_in, cases[i].one_in);
        assert_true(fabs(e.per_hour - cases[i].per_hour) < 1e-9);
    }
}

/* Whatever is said to be excluded is missed in fewer than 5 % of all runs. */
TEST(is_on_the_safe_side)
{
    for (uint64_t n = 3; n < 5000; n++) {
        struct excluded e;

        assert_true(excluded_make(n, 1, &e));
        assert_true(pow(1 - 1 / (double)e.one_in, (double)n) < 0.05);
    }
}
