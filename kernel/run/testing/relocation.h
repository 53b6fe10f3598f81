// SPDX-License-Identifier: MIT
/* okram's moves between parts of a test (self/move.h), and what must be done around them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"
#include "memory/arena.h"
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
