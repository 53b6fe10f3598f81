// SPDX-License-Identifier: MIT
/*
 * The fault log and the aliases of the run: which pages they have bits for, where their copies
 * are in memory, and the warnings when these are damaged.
 */
#pragma once

#include <stdint.h>

#include "memory/groups.h"
#include "plan/found.h"
#include "plan/plan.h"

/*
 * Zeroed memory for a further copy, far from `from` and from the other groups, so that one bad
 * module cannot damage all: on another node if there is one, else at a distance; outside what is
 * tested if there is room. After plan_make, before arena_close.
 */
void *distant_memory_alloc(const struct plan *plan, enum group group, uint64_t bytes,
                           const void *from);

/*
 * Begins the log, the aliases and `external`, in memory of their own, and logs the pages found bad
 * before. After plan_make, before self_check_begin and arena_close.
 */
void log_memory_begin(const struct plan *plan, struct found *ret);
