// SPDX-License-Identifier: MIT
/*
 * The two published ways to derive BadRAM patterns, written from their description, at page
 * granularity: what the cover is measured against. Both take the bad pages as they are found, in
 * the order of addresses. Both know only how many addresses a pattern covers, not which are RAM.
 */
#pragma once

#include <stddef.h>

#include "badram/pattern.h"
#include "log/fault_log.h"

/*
 * Rick van Rein: a page that no pattern covers is a new pattern; when the list is full, the pattern
 * that grows least is extended to it. A pattern that is new or extended is merged with any other
 * with which that costs nothing, again and again. Returns the number of patterns.
 */
size_t published_van_rein(const struct fault_log *log, struct pattern *list, size_t max_patterns);

/*
 * memtest86+: the list is sorted by address. A page that is covered is done with; one that differs
 * in a single bit from a pattern that is one page extends that; any other is inserted, and when the
 * list is too long then, the adjacent pair is joined for which size(joined) - size(first) is least.
 */
size_t published_memtest86(const struct fault_log *log, struct pattern *list, size_t max_patterns);
