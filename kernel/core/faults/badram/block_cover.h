// SPDX-License-Identifier: MIT
/*
 * The best cover made of blocks, where ranges bind. Then patterns hardly help, for each of their
 * pieces is a range; what counts is which gaps to fill, and blocks that touch are one range.
 *
 * The blocks of memory are a binary tree. With a price on each pattern and on each range, the
 * cheapest choice of blocks in a subtree follows from those of its halves (dynamic programming);
 * the prices at which a choice meets the limits are searched, as with Lagrange multipliers.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "badram/pattern.h"

/* More than bits in a page number. */
#define BLOCK_COVER_LEVELS 42

struct block_choice {
    int64_t cost; /* pages, and what patterns and ranges are priced at */
    uint32_t patterns, ranges;
};

/* The best choices in a node, by whether its first page is in a range, and its last. */
struct block_choices {
    struct block_choice of[2][2];
};

/* Working memory, of any content: the choices of a node's halves, by depth. */
struct block_cover_work {
    struct block_choices lower[BLOCK_COVER_LEVELS], upper[BLOCK_COVER_LEVELS];
};

/*
 * Covers n blocks, by address and disjoint. Returns the number of patterns in ret_list, which has
 * room for max_patterns; 0: there is no such cover. Nests at most 41 deep.
 */
size_t block_cover(const struct page_index *space, const struct pattern *block, size_t n,
                   size_t max_patterns, uint64_t max_ranges, struct block_cover_work *work,
                   struct pattern *ret_list);
