// SPDX-License-Identifier: MIT
/*
 * The fault log and the aliases of the run: which pages they have bits for, where their parts are
 * in memory, and what is said when these are damaged.
 */
#pragma once

/*
 * Begins fault_log and aliases (plan/plan.h), in memory of their own; pages found bad before are in
 * the log then. After plan_make, before self_check_begin and arena_close.
 */
void log_memory_begin(void);
