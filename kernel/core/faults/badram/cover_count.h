// SPDX-License-Identifier: MIT
/*
 * What a list of patterns covers of RAM together, exactly: pages that several of them cover count
 * once, and ranges that touch are one. The list may have any order.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "badram/pattern.h"

/* RAM pages of p that no pattern of the list covers. The call nests at most 40 deep. */
uint64_t cover_count_new(struct pattern p, const struct pattern *list, size_t n,
                         const struct page_index *space);

/* RAM pages that the list covers. */
uint64_t cover_count_pages(const struct pattern *list, size_t n, const struct page_index *space);

/*
 * Maximal runs of adjoining covered pages: GRUB makes a map entry of each. Stops at limit + 1, and
 * returns that as well when the ranges are few but made of too many small blocks to look at.
 */
uint64_t cover_count_ranges(const struct pattern *list, size_t n, const struct page_index *space,
                            uint64_t limit);
