// SPDX-License-Identifier: MIT
/*
 * Bad pages, from one to all there are, as few enough patterns that a search can begin with them.
 */
#pragma once

#include <stddef.h>

#include "badram/pattern_set.h"
#include "log/fault_log.h"

/* All bad pages as blocks, by address. Returns their number, 0 when they are more than max. */
size_t collect_blocks(const struct fault_log *log, struct pattern *ret_block, size_t max);

/* The same, the nearest ones joined to larger blocks until they are at most max. */
size_t collect_few_blocks(const struct fault_log *log, struct pattern *ret_block, size_t max);

/*
 * All bad pages as patterns. They hold no good page if that is possible with so few; else they are
 * regions of bad pages, and where there is no such structure they join what is nearest.
 */
void collect_patterns(const struct fault_log *log, struct pattern_set *ret_set);
