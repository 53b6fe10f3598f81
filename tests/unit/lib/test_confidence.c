// SPDX-License-Identifier: MIT
#include "lib/confidence.h"

#include <math.h>
#include <stdbool.h>

#include "tests/unit/unit.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

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
