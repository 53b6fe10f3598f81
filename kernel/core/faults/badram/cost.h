// SPDX-License-Identifier: MIT
/*
 * What a pattern costs: the RAM pages that it covers and, where ranges are scarce, a price for each
 * range that it makes. A price makes it worth while to fill a pattern's gaps, and cost_of()
 * fills them as long as that pays.
 */
#pragma once

#include <stdint.h>

#include "badram/pattern.h"

/* Higher prices are not needed: 2^26 pages are 256 GiB. */
#define COST_PRICE_MAX (UINT64_C(1) << 26)

struct cost_rule {
    const struct page_index *space;
    uint64_t price; /* of a range, in pages: 0 to COST_PRICE_MAX */
};

/* The cost of p, filled where that is cheaper: *ret_filled (not if NULL) is p then made coarser. */
int64_t cost_of(const struct cost_rule *rule, struct pattern p, struct pattern *ret_filled);

/*
 * Quick, and rarely more than p costs: treats every address as RAM and counts a quarter of it. It
 * rules out hopeless patterns, and sometimes a good one that is mostly not RAM.
 */
int64_t cost_bound(const struct cost_rule *rule, struct pattern p);
