// SPDX-License-Identifier: MIT
/*
 * A march that waits twice (sweep/march_part.h), over all memory in three waits: okram moves
 * between the halves, then away from both places, and these wait together, each in the half that it
 * has missed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "testing/rounds.h"

/* Whether a test is done in this way. Not one that counts for couplings (plan/unpaired.h). */
bool split_wait_applies_to(const struct plan *plan, const struct test *test);

/* The time that such a test waits in all its rounds, over all memory. */
uint64_t split_wait_ms(const struct plan *plan, const struct test *test);

/* Does it, over all memory. */
void split_wait_run(struct test_run *run);
