// SPDX-License-Identifier: MIT
/*
 * okram moves to another place, so that the tests reach the memory that it lived in. All CPUs go
 * over in step; nothing but page tables knows the difference.
 */
#pragma once

#include "lib/status.h"
#include "memory/arena.h"

/* Takes what memory it needs, of the arena. Among the last before arena_close. */
void move_prepare(void);

/*
 * Moves to memory of the main part (plan/plan.h), of pages that no test has found bad: the boot
 * CPU's node's first, and each group of okram's memory apart from the others (memory/groups.h), as
 * far as there are such places. Between tests only, all CPUs without work. ret_left: where okram
 * lived before, until it moves again.
 *
 * When okram stays where it is, a warning tells why, once: STATUS_NOT_FOUND, there is no good place
 * as large; STATUS_INVALID, no copy was what had been written; STATUS_TIMEOUT, a CPU came late, and
 * okram will not try again. CPUs that do not come at all are lost (plan/lost_cpus.h), and the
 * others move without them.
 */
enum status move_away(const struct arena_place **ret_left);

/*
 * Before the first test: where okram lives in what is to be tested, and range= or nodes= leave out
 * enough good memory, it moves there, and need not move again. The main part is all then. Else it
 * stays; nothing is said.
 */
void move_outside(void);
