// SPDX-License-Identifier: MIT
/*
 * okram's moves between parts of a test (self/move.h), what must be done around them, and a part of
 * a test in memory that okram has left.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"
#include "memory/arena.h"
#include "plan/plan.h"
#include "sweep/tests.h"
#include "testing/rounds.h"

/*
 * Whether a test also covers what okram leaves. Row hammer does not: it takes places of the main
 * part.
 */
bool relocation_is_due(const struct plan *plan, const struct test *test);

/*
 * Whether okram moves for the sake of this test alone: it counts for couplings between okram's own
 * memory and the rest, some of which are still to be tested (plan/unpaired.h).
 */
bool relocation_covers_pairs(const struct run *run, const struct test *test);

/* How long the last move took, with all that was done around it. 0: there was none. */
uint64_t relocation_took_us(void);

/*
 * okram moves, but not to `avoid`, unless that is NULL. STATUS_OK: its old place can be tested. The
 * shares are those of the main part as it was before.
 */
enum status relocate(const struct test_run *run, const struct footprint *avoid,
                     const struct footprint **ret_left);

/* A place for relocate_to, in no page of n others: move_choose. */
enum status relocation_choose(const struct test_run *run, const struct footprint *const *avoid,
                              size_t n, struct footprint *ret);

/* Like relocate, but to this place. */
enum status relocate_to(const struct test_run *run, const struct footprint *place);

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
 * The same for all tests: okram moves, the places that it has left are shared out, rounds are done
 * there and counted, and the main part is shared out again.
 *
 * The shares are those of the main part before and after, and run->place is unchanged. If the run
 * is stopped, nothing counts. False: okram has not moved, and nothing was done.
 */
bool vacated_run(struct test_run *run, struct vacated *vacated, struct rounds rounds);
