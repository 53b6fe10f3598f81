// SPDX-License-Identifier: MIT
/*
 * The fault log and the aliases of the run: which pages they have bits for, where their copies
 * are in memory, and the warnings when these are damaged.
 */
#pragma once

#include "plan/found.h"
#include "plan/plan.h"

/*
 * Begins the log, the aliases and `external`, in memory of their own, and logs the pages found bad
 * before. After plan_make, before self_check_begin and arena_close.
 */
void log_memory_begin(const struct plan *plan, struct found *ret);
