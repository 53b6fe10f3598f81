// SPDX-License-Identifier: MIT
#include "lib/error_rate.h"

#include <math.h>

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

#define TB UINT64_C(1000000000000)

/* By scipy 1.15: chi2.ppf(0.025, 2 * n) / 2, chi2.ppf(0.975, 2 * n + 2) / 2; for 0 one-sided. */
TEST(limits_of_poisson)
{
    static const struct {
        uint64_t n;
        double low, high, within;
    } cases[] = {
        { 0, 0, 2.995732, 1e-6 },
        { 1, 0.025317807984, 5.571643390939, 1e-9 },
        { 2, 0.242209278544, 7.224687667724, 1e-9 },
        { 10, 4.795388696132, 18.390356042018, 1e-9 },
        { 100, 81.363991250923, 121.626793782426, 1e-9 },
        { 101, 82.266158793039, 122.724155705831, 5e-5 },
        { 1000, 938.973018407696, 1063.952136016302, 2e-6 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        double low, high;

        poisson_limits(cases[i].n, &low, &high);
        assert_true(fabs(low - cases[i].low) <= cases[i].within * cases[i].low);
        assert_true(fabs(high - cases[i].high) <= cases[i].within * cases[i].high);
    }
}

TEST(limits_grow_with_the_number)
{
    double low, high, next_low, next_high;

    poisson_limits(0, &low, &high);
    for (uint64_t n = 1; n < 300; n++) {
        poisson_limits(n, &next_low, &next_high);
        assert_true(next_low > low && next_high > high);
        assert_true(next_low < (double)n && next_high > (double)n);
        low = next_low;
        high = next_high;
    }
    poisson_limits(UINT64_MAX, &low, &high);
    assert_true(low < 0x1p64 && high >= 0x1p64 && low > 0x1.ffp63);
}

/* Errors in `sweeps` sweeps of `lines` lines each of which fails once in `one_in`: waits for the
 * next error, as these are rare. */
static uint64_t play(uint64_t *random, double lines, double one_in)
{
    uint64_t n = 0;
    double at = 0;

    for (;; n++) {
        double u = ((double)(splitmix_next(random) >> 11) + 1) * 0x1p-53;

        at += floor(log(u) / log1p(-1 / one_in)) + 1;
        if (at > lines)
            return n;
    }
}

/* 1 error in 10^8 to 10^12 lines of 64 bytes, in runs of 0.1 to 100 errors in the mean. */
TEST(truth_is_within_the_limits)
{
    uint64_t random = 42;

    for (double one_in = 1e8; one_in <= 1e12; one_in *= 10) {
        for (double mean = 0.1; mean <= 100; mean *= 10) {
            double lines = mean * one_in, truth = (double)TB / 64 / one_in;
            unsigned right = 0;

            for (int run = 0; run < 1000; run++) {
                uint64_t n = play(&random, lines, one_in);
                struct error_rate rate = error_rate_make(n, (uint64_t)(lines * 64), 1);

                assert_true(fabs(rate.per_tb * lines * 64 - (double)n * TB) <= 1e-6 * lines * 64);
                right += rate.low <= truth && truth <= rate.high;
            }
            assert_in_range(right, 930, 1000);
        }
    }
}

/* How probable limits are that hold, where `mean` errors are expected. */
static double coverage(double mean)
{
    double term = exp(-mean), sum = 0, low, high;

    for (uint64_t n = 0; n <= 100; n++) {
        poisson_limits(n, &low, &high);
        sum += low <= mean && mean <= high ? term : 0;
        term *= mean / (double)(n + 1);
    }
    return sum;
}

TEST(limits_hold_as_the_header_says)
{
    for (double mean = 0.01; mean < 20; mean += 0.01) {
        bool is_near_three = mean > 2.99 && mean < 3.46;

        assert_true(coverage(mean) >= (is_near_three ? 0.938 : 0.95));
    }
    assert_true(fabs(coverage(3.2) - 0.942408) < 1e-6);
}

static const char *text_of(uint64_t errors, uint64_t moved)
{
    static char text[100];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    struct error_rate rate = error_rate_make(errors, moved, 0);

    error_rate_append(&b, &rate);
    return text;
}

TEST(in_words)
{
    assert_string_equal(text_of(0, 41 * TB), "no error in 41.0 TB: fewer than 1 in 13.7 TB");
    assert_string_equal(text_of(0, TB), "no error in 1.00 TB: fewer than 1 in 334 GB");
    assert_string_equal(text_of(0, 0), "no error in 0.000 GB");
    assert_string_equal(text_of(3, 6 * TB / 5), "3 errors in 1.20 TB: 2.50 per TB (0.52 to 7.31)");
    assert_string_equal(text_of(1, TB / 100), "1 error in 10.0 GB: 100 per TB (3 to 557)");
    assert_string_equal(text_of(5000, TB), "5000 errors in 1.00 TB: 5000 per TB (4862 to 5141)");
}

TEST(a_result_has_its_confidence_or_no_rate)
{
    static const struct {
        uint64_t errors;
        bool always_bad;
        const char *says;
    } cases[] = {
        { 3, false, "3 errors in 1.20 TB: 2.50 per TB (0.52 to 7.31), with 95 % confidence" },
        { 0, false,
          "no error in 1.20 TB: fewer than 1 in 401 GB, with 95 % confidence (one-sided)" },
        { 19, true,
          "19 errors in 1.20 TB, but no rate: a page was bad each time that it was tested again" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[200];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
        struct error_rate rate = error_rate_make(cases[i].errors, 6 * TB / 5, 0);

        rate.always_bad = cases[i].always_bad;
        error_rate_append_result(&b, &rate);
        assert_string_equal(text, cases[i].says);
    }
}
