// SPDX-License-Identifier: MIT
/*
 * A list with fewer runs: an operating system has room for so many pieces of memory, and loses what
 * lies behind them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "guardlist/guard_list.h"

/*
 * Writes the list with at most max_runs runs, 1 or more: the good pages between are listed, too,
 * and of all lists with so many runs this is one that has the fewest. gap has room for n_runs
 * numbers. Returns the bytes of the list; 0: it does not fit.
 */
size_t guard_join(const struct guard_list *list, uint32_t max_runs, uint64_t *gap, void *out,
                  size_t size);
