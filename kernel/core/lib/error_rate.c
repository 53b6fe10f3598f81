// SPDX-License-Identifier: MIT
#include "lib/error_rate.h"

#define TB         1e12
#define TAIL       0.025 /* outside of each limit */
#define DEVIATION  1.959964
#define THREE      2.995732 /* what 5 % of the time gives no error */
#define EXACT_MAX  100
#define HALVINGS   8
#define TERMS      12
#define BISECTIONS 60
#define ROOT_STEPS 50 /* halves 2^64, and then doubles digits */

/* e^-x, x up to some 200: the series of a small part of x, squared again and again. */
static double exp_minus(double x)
{
    double part = x / (1 << HALVINGS), term = 1, sum = 1;

    for (int i = 1; i <= TERMS; i++) {
        term *= -part / i;
        sum += term;
    }
    for (int i = 0; i < HALVINGS; i++)
        sum *= sum;
    return sum;
}

/* How probable n or fewer are where `expected` are expected. */
static double at_most(uint64_t n, double expected)
{
    double term = exp_minus(expected), sum = term;

    for (uint64_t i = 1; i <= n; i++) {
        term *= expected / (double)i;
        sum += term;
    }
    return sum;
}

/* Of what is expected, where n or fewer are as probable as that. */
static double expected_at(uint64_t n, double probability)
{
    double low = 0, high = 2 * (double)n + 10;

    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;

        if (at_most(n, middle) > probability)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* Newton's; there is no libm here. */
static double square_root(double n)
{
    double root = n;

    for (int i = 0; i < ROOT_STEPS; i++)
        root = (root + n / root) / 2;
    return root;
}

/* Half of chi-square's quantile with 2n degrees of freedom; deviation: of the normal distribution.
 */
static double wilson_hilferty(double n, double deviation)
{
    double third = 1 - 1 / (9 * n) + deviation / (3 * square_root(n));

    return n * third * third * third;
}

void poisson_limits(uint64_t n, double *ret_low, double *ret_high)
{
    if (n > EXACT_MAX) {
        *ret_low = wilson_hilferty((double)n, -DEVIATION);
        *ret_high = wilson_hilferty((double)n + 1, DEVIATION);
        return;
    }
    *ret_low = n ? expected_at(n - 1, 1 - TAIL) : 0;
    *ret_high = n ? expected_at(n, TAIL) : THREE;
}

struct error_rate error_rate_make(uint64_t errors, uint64_t moved_bytes, double first_s)
{
    struct error_rate rate = { moved_bytes, errors, 0, 0, 0, first_s, false };
    double tb = (double)moved_bytes / TB;

    if (!moved_bytes)
        return rate;
    poisson_limits(errors, &rate.low, &rate.high);
    rate.per_tb = (double)errors / tb;
    rate.low /= tb;
    rate.high /= tb;
    return rate;
}

/* Three digits, if it is not more than that. */
static int decimals_of(double value)
{
    return value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
}

static void append_tb(struct fmt_buffer *out, double tb)
{
    fmt_append(out, "%.*f %s", decimals_of(tb < 1 ? tb * 1e3 : tb), tb < 1 ? tb * 1e3 : tb,
               tb < 1 ? "GB" : "TB");
}

void error_rate_append(struct fmt_buffer *out, const struct error_rate *rate)
{
    if (!rate->errors)
        fmt_append(out, "no error in ");
    else
        fmt_append(out, "%llu error%s in ", (unsigned long long)rate->errors,
                   fmt_plural(rate->errors));
    append_tb(out, (double)rate->moved_bytes / TB);
    if (!rate->moved_bytes || rate->always_bad)
        return;
    if (rate->errors) {
        int decimals = decimals_of(rate->per_tb);

        fmt_append(out, ": %.*f per TB (%.*f to %.*f)", decimals, rate->per_tb, decimals, rate->low,
                   decimals, rate->high);
    } else {
        fmt_append(out, ": fewer than 1 in ");
        append_tb(out, 1 / rate->high);
    }
}

void error_rate_append_result(struct fmt_buffer *out, const struct error_rate *rate)
{
    error_rate_append(out, rate);
    if (rate->always_bad)
        fmt_append(out, ", but no rate: a page was bad each time that it was tested again");
    else
        fmt_append(out, ", with 95 %% confidence%s", rate->errors ? "" : " (one-sided)");
}
