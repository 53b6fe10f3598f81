// SPDX-License-Identifier: MIT
/*
 * The two modes of latencies: of pairs of lines that a controller fetches at the same time, and of
 * those that are in two rows of one bank, one of which has to be closed for the other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row_modes {
    uint32_t fast, slow, threshold; /* means, and what is between them */
};

/* Fewer latencies are not a mode. */
#define ROW_MODE_MIN 8

/*
 * Splits n latencies, which it sorts, in two so that the means are as far from each other as can be
 * and far in comparison with how each part is spread: the squared distance of the means is 12 times
 * the sum of the variances, at least (two halves of one normal distribution have 3.5). And it is a
 * twentieth of the lower mean, at least: what separates less is the counter's unit, not a row that
 * is opened. False: no such split, so there is one mode.
 */
bool row_modes_find(uint32_t *latency, size_t n, struct row_modes *ret);
