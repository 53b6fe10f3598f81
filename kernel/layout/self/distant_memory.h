// SPDX-License-Identifier: MIT
/* Memory for further copies: one bad module must not damage all. */
#pragma once

#include <stdint.h>

#include "memory/groups.h"
#include "plan/plan.h"

/*
 * Zeroed memory far from `from` and from the other groups: on another node if there is one, else at
 * a distance; outside what is tested if there is room. After plan_make, before arena_close.
 */
void *distant_memory_alloc(const struct plan *plan, enum group group, uint64_t bytes,
                           const void *from);
