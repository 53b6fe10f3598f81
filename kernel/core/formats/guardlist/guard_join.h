// SPDX-License-Identifier: MIT
/*
 * A list with fewer runs: an operating system has room for a limited number of pieces of memory,
 * and loses what is after them, or does not start.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "guardlist/guard_list.h"

/*
 * Writes the list with at most max_runs runs, 1 or more: the good pages between are listed, too,
 * and of all lists with that number of runs this is one that has the fewest. No more than max_good
 * good pages are: with fewer there may be more runs. number has room for n_runs numbers. Returns
 * the bytes of the list; 0: it does not fit. It fits where there is room for the list and
 * GUARD_LIST_HEAD more: one of version 1 becomes one of version 2.
 */
size_t guard_join(const struct guard_list *list, uint32_t max_runs, uint64_t max_good,
                  uint64_t *number, void *out, size_t size);

/*
 * Writes the longest max_runs runs of the list, of equal ones the first; number and the result are
 * as of guard_join.
 */
size_t guard_longest(const struct guard_list *list, uint32_t max_runs, uint64_t *number, void *out,
                     size_t size);
