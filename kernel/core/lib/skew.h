// SPDX-License-Identifier: MIT
/*
 * How far another CPU's time stamp counter is ahead of this one's. What is known is an interval:
 * the answer to a question was stamped there after it was asked here, and before it came. A CPU
 * that is held up meanwhile makes the interval wider, never wrong; of several exchanges each
 * narrows it.
 */
#pragma once

#include <stdint.h>

struct skew {
    int64_t low, high; /* ticks; low > high: no constant explains what was seen */
};

/* Nothing known. */
#define SKEW_ANY ((struct skew){ INT64_MIN, INT64_MAX })

/* An exchange: asked here, stamped there, answered here. */
void skew_narrow(struct skew *s, uint64_t asked, uint64_t there, uint64_t answered);

/* The remaining uncertainty, in ticks. */
uint64_t skew_width(struct skew s);

/* The least number of ticks that it can be, with their sign; 0 where it may be 0. */
int64_t skew_least(struct skew s);

/* The skew to count with: 0 where it may be 0, else the middle. */
int64_t skew_guess(struct skew s);

/*
 * The least number of ticks between an earlier and a later interval, with their sign: what the
 * other counter has gained. 0 where they may be the same.
 */
int64_t skew_gained(struct skew earlier, struct skew later);
