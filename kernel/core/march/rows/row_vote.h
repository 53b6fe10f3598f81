// SPDX-License-Identifier: MIT
/* Measurements of a search for rows (rows/row_search.h), their two modes, and votes against noise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/row_memory.h"

/* What a search is given. */
struct row_question {
    const struct row_memory *memory;
    uint64_t hole; /* rows/row_map.h */
    uint64_t seed;
    uint64_t n_measurements_max;
    /* How long it takes to fetch both lines, in any unit: rows/pair_latency.h. 0: no time is left.
     */
    uint32_t (*latency)(void *ctx, uint64_t phys, uint64_t other);
    void *ctx;
};

struct row_vote {
    const struct row_question *question;
    uint64_t random; /* state of lib/splitmix.h */
    unsigned bits;   /* of linear addresses */
    uint64_t n_measurements;
    bool is_over; /* no time, or no measurements, are left: all that follows is 0 */
};

enum row_verdict { ROW_FAST, ROW_SLOW, ROW_DIVIDED, ROW_NO_PAIR };

/* Two lines that differ so. False: there are hardly any. */
bool row_vote_pair(struct row_vote *vote, uint64_t difference, uint64_t ret_phys[2]);

/* How long a pair takes: once, and the median of n times. 0: it is over. */
uint32_t row_vote_measure(struct row_vote *vote, const uint64_t phys[2]);
uint32_t row_vote_median(struct row_vote *vote, const uint64_t phys[2], unsigned n);

#define ROW_MEDIAN_MAX 15

/*
 * Whether pairs that differ so are slower than the threshold: 17 of 24 pairs at random have
 * to agree. With one measurement of four wrong, that is true of 77 % of the slow differences and of
 * one in 10^6 of the others.
 */
enum row_verdict row_vote_is_slow(struct row_vote *vote, uint64_t difference, uint32_t threshold);

/*
 * The two modes of latencies: of pairs of lines that a controller fetches at the same time, and of
 * those that are in two rows of one bank, one of which has to be closed for the other.
 */
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
