// SPDX-License-Identifier: MIT
/*
 * A part of a test in memory that okram has left. It is the same for all tests: okram moves, the
 * places that it has left are shared out, rounds are done there, what they have tested counts, and
 * the main part is shared out again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"
#include "testing/rounds.h"

/* What the rounds test together with all the rest (plan/unpaired.h), in a test that counts. */
enum vacated_pairs {
    VACATED_NO_PAIRS,
    VACATED_WITH_UNPAIRED, /* what was unpaired, which is added where okram is not in it */
    VACATED_ALL_PAIRS,
};

struct vacated {
    bool relocate;                                  /* okram moves first, */
    const struct footprint *avoid;                  /* not to this place, unless it is NULL */
    const struct footprint *place[PLAN_PLACES_MAX]; /* okram has left them; relocating adds one */
    size_t n;
    enum vacated_pairs pairs;
    bool completes;     /* with these rounds the test has gone over all memory */
    uint64_t add_bytes; /* swept in them, and not in the test's progress until now */
};

/*
 * The shares are those of the main part before and after, and run->place stays. Nothing counts when
 * the run is stopped. False: okram has not moved, and nothing was done.
 */
bool vacated_run(struct test_run *run, struct vacated *vacated, struct rounds rounds);
