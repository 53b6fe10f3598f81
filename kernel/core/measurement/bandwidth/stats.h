// SPDX-License-Identifier: MIT
/*
 * Mean and spread of a row of measurements, kept while they come: B. P. Welford, "Note on a Method
 * for Calculating Corrected Sums of Squares and Products", Technometrics 4(3), 1962. It loses no
 * digits to cancellation, however small the spread is compared with the mean.
 *
 * An empty row is `struct stats s = { 0 };`, and its mean, min and max are 0.
 */
#pragma once

#include <stdint.h>

struct stats {
    uint64_t n;
    double mean, min, max;
    double squares; /* sum of (x - mean)^2 */
};

/* Takes one more value, which is finite. */
void stats_add(struct stats *s, double x);

/* The sample standard deviation (divisor n - 1); 0 for fewer than two values. */
double stats_stddev(const struct stats *s);
