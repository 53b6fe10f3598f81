// SPDX-License-Identifier: MIT
/*
 * The fault log and the aliases of the run: which pages they have bits for, where their copies
 * are in memory, and the warnings when these are damaged.
 */
#pragma once

/*
 * Begins fault_log and aliases (plan/plan.h), in memory of their own, and logs the pages found bad
 * before. After plan_make, before self_check_begin and arena_close.
 */
void log_memory_begin(void);
