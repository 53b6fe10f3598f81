// SPDX-License-Identifier: MIT
#include "lib/skew.h"

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

TEST(narrows)
{
    struct skew s = SKEW_ANY;

    assert_int_equal(skew_least(s), 0);
    assert_int_equal(skew_guess(s), 0);
    assert_true(skew_width(s) == UINT64_MAX);
    skew_narrow(&s, 1000, 5100, 1200);
    assert_int_equal(s.low, 3900);
    assert_int_equal(s.high, 4100);
    skew_narrow(&s, 2000, 6050, 2100);
    assert_int_equal(s.low, 3950);
    assert_int_equal(s.high, 4050);
    skew_narrow(&s, 3000, 7050, 900000); /* held up: nothing learned */
    assert_int_equal(skew_width(s), 100);
    assert_int_equal(skew_least(s), 3950);
    assert_int_equal(skew_guess(s), 4000);
}

TEST(knows_what_is_certain)
{
    static const struct {
        struct skew s;
        int64_t least, guess;
    } cases[] = {
        { { -5, 5 }, 0, 0 },
        { { 0, 900 }, 0, 0 },
        { { -900, 0 }, 0, 0 },
        { { 1, 9 }, 1, 5 },
        { { -9, -1 }, -1, -5 },
        { { INT64_MAX - 2, INT64_MAX }, INT64_MAX - 2, INT64_MAX - 1 },
        { { INT64_MIN, INT64_MIN + 2 }, INT64_MIN + 2, INT64_MIN + 1 },
        { { 20, 10 }, 10, 15 }, /* it moved meanwhile */
        { { -10, -20 }, -10, -15 },
        { { 10, -10 }, 0, 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(skew_least(cases[i].s) == cases[i].least);
        assert_true(skew_guess(cases[i].s) == cases[i].guess);
    }
}

TEST(counters_on_both_sides_of_their_wrap)
{
    struct skew s = SKEW_ANY;

    skew_narrow(&s, UINT64_MAX - 10, 5, UINT64_MAX - 2);
    assert_int_equal(s.low, 8);
    assert_int_equal(s.high, 16);
}

/* Exchanges with a counter that is `ahead` and `faster`, from `at` on; held up now and then. */
static struct skew talk(double ahead, double faster, double at, uint64_t *prng)
{
    struct skew s = SKEW_ANY;

    for (int i = 0; i < 16; i++) {
        double there = 1000 + (double)(splitmix_next(prng) % 1000);
        double back = 1000 + (double)(splitmix_next(prng) % 1000);

        there += splitmix_next(prng) % 4 ? 0 : 1e7;
        back += splitmix_next(prng) % 4 ? 0 : 1e7;
        skew_narrow(&s, (uint64_t)at, (uint64_t)((at + there) * (1 + faster) + ahead),
                    (uint64_t)(at + there + back));
        at += there + back;
    }
    return s;
}

TEST(finds_the_skew_while_held_up)
{
    for (uint64_t seed = 0; seed < 2000; seed++) {
        uint64_t prng = seed;
        double ahead = (double)(splitmix_next(&prng) % 2000000) - 1e6;
        struct skew s = talk(ahead, 0, 1e12, &prng);

        assert_true((double)s.low - 1 <= ahead && ahead <= (double)s.high + 1);
        if (skew_guess(s))
            assert_in_range((uint64_t)((double)skew_guess(s) - ahead + 20000), 0, 40000);
    }
}

TEST(finds_another_speed)
{
    static const double faster[] = { 0, 0, 0.001, -0.001, 0.01 };

    for (size_t i = 0; i < 5 * 200; i++) {
        uint64_t prng = i;
        struct skew first = talk(-1e12 * faster[i % 5], faster[i % 5], 1e12, &prng);
        struct skew second = talk(-1e12 * faster[i % 5], faster[i % 5], 1e12 + 5e8, &prng);
        int64_t gained = skew_gained(first, second);

        if (faster[i % 5] == 0)
            assert_int_equal(gained, 0);
        else
            assert_true((double)gained / (5e8 * faster[i % 5]) > 0.8);
        assert_true(skew_gained(second, first) == -gained);
    }
}
