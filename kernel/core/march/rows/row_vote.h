// SPDX-License-Identifier: MIT
/* Measurements of a search for rows, and votes over them against noise. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rows/row_question.h"

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
