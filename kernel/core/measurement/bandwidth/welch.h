// SPDX-License-Identifier: MIT
/*
 * Whether one row of measurements is truly below another: B. L. Welch, "The Generalization of
 * 'Student's' Problem when Several Different Population Variances are Involved", Biometrika 34
 * (1947); for several comparisons at a time by Bonferroni's correction.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Of a row of n measurements; n 0: there are none. A number that is known has a stddev of 0. */
struct spread {
    uint32_t n;
    float mean, stddev;
};

/* How often spread_is_below may be wrong, all comparisons together. */
#define SPREAD_WRONG_MAX 0.005

/*
 * Whether the mean of `a` is below `factor` times that of `b`. Where it is not, all of so many
 * comparisons together say so in SPREAD_WRONG_MAX of all cases at most. False with fewer than two
 * measurements of either: nothing is known of their spread.
 */
bool spread_is_below(struct spread a, struct spread b, double factor, uint32_t comparisons);
