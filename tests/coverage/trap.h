// SPDX-License-Identifier: MIT
/*
 * Memory whose every access by the code under test is seen, and answered by a model of caches and
 * cells.
 *
 * The memory given to the code has no permissions at all, ever. When an instruction faults on it,
 * the model is informed; then the same instruction is done on a view of the memory at another
 * address, in which the model puts what a load is to see, and finds what a store wrote. An access
 * that the bench does not understand ends it.
 *
 * One in a process: signal handlers are.
 */
#pragma once

#include "tests/coverage/cache.h"

/* Once, after code_prepare: memory for at most that many lines. */
void trap_install(uint32_t max_lines);

/* Line 0, for the code under test. */
struct line *trap_memory(void);

/* From here on accesses are the cache's, line by line. */
void trap_begin(struct cache *cache);

/* The code under test has returned. */
void trap_end(void);
