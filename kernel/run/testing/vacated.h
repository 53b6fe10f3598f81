// SPDX-License-Identifier: MIT
/*
 * A part of a test in memory that okram has left, the same for all tests: okram moves, the places
 * that it has left are shared out, rounds are done there and counted, and the main part is shared
 * out again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"
#include "testing/rounds.h"

/* The pairs that the rounds test (plan/unpaired.h), in a test that counts for couplings. */
enum vacated_pairs {
    VACATED_NO_PAIRS,
    VACATED_WITH_UNPAIRED, /* with what was unpaired, which is added unless okram is in it */
    VACATED_ALL_PAIRS,
};

struct vacated {
    bool relocate;                                  /* okram moves first, */
    const struct footprint *avoid;                  /* not to this place, unless that is NULL */
    const struct footprint *place[PLAN_PLACES_MAX]; /* that okram has left; relocating adds one */
    size_t n;
    enum vacated_pairs pairs;
    bool completes;     /* with these rounds the test has covered all memory */
    uint64_t add_bytes; /* that the rounds sweep, not in the test's progress until now */
};

/*
 * The shares are those of the main part before and after, and run->place is unchanged. If the run
 * is stopped, nothing counts. False: okram has not moved, and nothing was done.
 */
bool vacated_run(struct test_run *run, struct vacated *vacated, struct rounds rounds);
