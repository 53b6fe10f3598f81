// SPDX-License-Identifier: MIT
/*
 * Where the parts of the fault log lie, and what is said when they are damaged.
 */
#pragma once

#include "log/fault_log.h"
#include "log/page_space.h"
#include "memory/groups.h"

/*
 * Zeroed memory apart from what lies at `from`, and from the other groups: on another node where
 * there is one, else far away; outside of what is tested as long as there is room. Once plan.ram is
 * made (plan/plan.h), and before arena_close.
 */
void *log_memory_apart(enum group group, uint64_t bytes, const void *from);

/* An empty log over the page space, in memory of its own. Before arena_close. */
void log_memory_begin(struct fault_log *log, const struct page_space *space);
