// SPDX-License-Identifier: MIT
/*
 * The bad pages as ranges, for lines that list ranges instead of patterns.
 *
 * A list with fewer ranges than there are runs of bad pages costs good pages: the smallest gaps
 * between runs are given up, which is the least that any such list can cost. A range crosses a gap
 * of RAM only when there is no other way, because devices are there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/fault_log.h"

#define RANGES_MAX 512

struct range_gap {
    uint64_t pages; /* good ones, between a range and the one before */
    bool has_hole;  /* RAM has a gap in it, too */
};

struct ranges {
    size_t n;
    uint64_t bad_pages;
    uint64_t lost_pages;              /* good ones within the ranges */
    bool crosses;                     /* a range crosses a gap of RAM */
    struct page_run run[RANGES_MAX];  /* by address */
    struct range_gap gap[RANGES_MAX]; /* before each, but the first */
};

/* All bad pages in at most max ranges, 1 to RANGES_MAX. The log may grow meanwhile. */
void ranges_collect(const struct fault_log *log, size_t max, struct ranges *ret_ranges);

/* How many there are without a limit. */
uint64_t ranges_count(const struct fault_log *log);

/* Makes them at most max, 1 or more. */
void ranges_join(struct ranges *ranges, size_t max);
