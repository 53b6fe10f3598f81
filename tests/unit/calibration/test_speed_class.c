// SPDX-License-Identifier: MIT
#include "calibration/speed_class.h"

#include <math.h>

#include "tests/unit/unit.h"

#define MOST 8

static const struct {
    const char *name;
    double speed[MOST];
    uint32_t level[MOST];
} rows[] = {
    { "one", { 5 }, { 1000 } },
    { "all the same", { 7, 7, 7 }, { 1000, 1000, 1000 } },
    { "nearly the same", { 100, 96, 88 }, { 1000, 1000, 1000 } },
    { "just the same, and just not", { 800, 701 }, { 1000, 1000 } },
    { "just not", { 800, 700 }, { 1000, 875 } },
    { "two kinds, in any order", { 4, 10, 4.1, 10.2, 3.9 }, { 396, 1000, 396, 1000, 396 } },
    { "three kinds", { 10, 6, 3 }, { 1000, 600, 300 } },
    { "a chain of neighbours is more than one level",
      { 100, 90, 80, 72 },
      { 1000, 1000, 800, 800 } },
    { "very slow", { 1e9, 1 }, { 1000, 1 } },
    { "unknown", { 0, 10, -1, 5 }, { 0, 1000, 0, 500 } },
    { "nothing known", { 0, 0 }, { 0, 0 } },
};

TEST(levels)
{
    for (size_t r = 0; r < COUNT(rows); r++) {
        uint32_t level[MOST];
        size_t n = MOST;

        while (n > 1 && !rows[r].level[n - 1] && !rows[r].speed[n - 1])
            n--;
        print_message("%s\n", rows[r].name);
        speed_class_speeds(rows[r].speed, n, 1000, level);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(level[i], rows[r].level[i]);
    }
}

/* Whatever they are: the order is kept, and no level is far from its speed. */
TEST(random_speeds)
{
    srand(5);
    for (int round = 0; round < 2000; round++) {
        double speed[64], most = 0;
        uint32_t level[64];

        for (size_t i = 0; i < COUNT(speed); i++) {
            speed[i] = exp((double)rand() / RAND_MAX * 5);
            most = fmax(most, speed[i]);
        }
        speed_class_speeds(speed, COUNT(speed), 1000, level);
        for (size_t i = 0; i < COUNT(speed); i++) {
            double due = speed[i] / most * 1000;

            assert_true(level[i] >= 1 && level[i] <= 1000);
            assert_true(level[i] + 1 > due * 7 / 8 && level[i] < due * 8 / 7 * 8 / 7 + 1);
            for (size_t k = 0; k < COUNT(speed); k++)
                assert_true(speed[i] < speed[k] || level[i] >= level[k]);
        }
    }
}

/* AVX-512 that slows a core down, and a choice that only the slow kind's number turns. */
TEST(best)
{
    static const double fast[] = { 9, 10, 7 }, slow[] = { 5, 3, 5 };
    static const struct {
        size_t n_fast, n_slow, best;
        double tie;
    } cases[] = {
        { 8, 0, 1, 0 },  { 8, 3, 1, 0 },    { 8, 4, 0, 0 },    { 8, 5, 0, 0 },    { 0, 1, 0, 0 },
        { 1, 16, 0, 0 }, { 8, 0, 1, 0.05 }, { 8, 1, 1, 0.05 }, { 8, 2, 0, 0.05 }, { 0, 0, 0, 0.05 },
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(speed_class_best((struct speed_class_kind){ cases[i].n_fast, fast },
                                          (struct speed_class_kind){ cases[i].n_slow, slow },
                                          COUNT(fast), cases[i].tie),
                         cases[i].best);
}

/* Of two loads the one with more bytes counts more; what is not swept counts nothing. */
TEST(mean)
{
    static const double speed[] = { 10, 5 };

    assert_float_equal(speed_class_mean(speed, (double[]){ 80, 0 }, 2), 10, 1e-9);
    assert_float_equal(speed_class_mean(speed, (double[]){ 80, 20 }, 2), 100.0 / 12, 1e-9);
    assert_float_equal(speed_class_mean(speed, (double[]){ 0, 0 }, 2), 0, 0);
    assert_float_equal(speed_class_mean((double[]){ 10, 0 }, (double[]){ 80, 20 }, 2), 0, 0);
    assert_float_equal(speed_class_mean((double[]){ 10, 0 }, (double[]){ 80, 0 }, 2), 10, 1e-9);
}
