// SPDX-License-Identifier: MIT
/* okram's moves between parts of a test (self/move.h), and what is to be done around them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"
#include "memory/arena.h"
#include "sweep/tests.h"

/*
 * Whether a test is done on what okram leaves, too. Not row hammer, which has no memory that it
 * must go over: it takes places of the main part.
 */
bool moving_is_due(const struct test *test);

/*
 * Whether okram moves for the sake of this test alone: it counts for couplings between okram's own
 * memory and the rest, some of which are still to be tested (plan/apart.h).
 */
bool moving_is_for_pairs(const struct test *test);

/* How long the last move took, with all that had to be done around it. 0: there was none. */
uint64_t moving_took_us(void);

/* okram moves, and not to `avoid`. STATUS_OK: what was its place can be tested. */
enum status moving_away(const struct arena_place *avoid, uint32_t pass,
                        const struct arena_place **ret_left);

/* A place for moving_to, in no page of n others: move_choose. */
enum status moving_choose(const struct arena_place *const *avoid, size_t n, uint32_t pass,
                          struct arena_place *ret);

/* As moving_away, to this place. */
enum status moving_to(const struct arena_place *place, uint32_t pass,
                      const struct arena_place **ret_left);
