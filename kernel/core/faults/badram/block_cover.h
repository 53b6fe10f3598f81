// SPDX-License-Identifier: MIT
/*
 * The best covers made of blocks. First where ranges bind. Then patterns hardly help, for each of
 * their pieces is a range; what counts is which gaps to fill, and blocks that touch are one range.
 *
 * The blocks of memory are a binary tree. With a price on each pattern and on each range, the
 * cheapest choice of blocks in a subtree follows from those of its halves (dynamic programming);
 * the prices at which a choice meets the limits are searched, as with Lagrange multipliers.
 *
 * For example pages 0 to 3, of which 1 and 2 are bad, with a price p on a pattern and r on a range.
 * A choice is named by its ends: whether the node's first page is in a range, and its last.
 *
 *     node   ends 0,0             ends 0,1        ends 1,0        ends 1,1
 *     0-1    impossible           page 1: 1+p+r   impossible      whole: 2+p+r
 *     2-3    impossible           impossible      page 2: 1+p+r   whole: 2+p+r
 *     0-3    1 and 2: 2+2p+2r-r   1, 2-3: 3+2p+r  0-1, 2: 3+2p+r  whole: 4+p+r
 *
 * Pages 1 and 2 touch, so that their two ranges are one. Which choice of 0-3 is the cheapest
 * depends on p: two patterns of one page each, or, when a pattern costs more than 2 pages, one of
 * four.
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

/* n bad blocks of a space, by address and disjoint. */
struct bad_blocks {
    const struct page_index *space;
    const struct pattern *block;
    size_t n;
};

/*
 * Covers the blocks. Returns the number of patterns in ret_list, which has room for max_patterns;
 * 0: there is no such cover. Nests at most 41 deep.
 */
size_t block_cover(const struct bad_blocks *bad, size_t max_patterns, uint64_t max_ranges,
                   struct block_cover_work *work, struct pattern *ret_list);

#define FEW_BLOCKS_BAD_MAX 4096
#define FEW_BLOCKS_MAX     512

/* Working memory, of any content. */
struct few_blocks_work {
    uint64_t pages[FEW_BLOCKS_BAD_MAX]; /* of 1, 2, ... blocks in a lower half, then in the upper */
    uint64_t joined[FEW_BLOCKS_MAX];
};

/*
 * The best cover by a limited number of aligned blocks, where ranges do not matter. The bad blocks
 * are the leaves of a binary tree. A node is the smallest block that holds the bad blocks from one
 * to another, and its halves hold those below and above the middle of it. The fewest pages that k
 * blocks in a node can cover follow from those of its halves: one block is the node itself, more of
 * them are i in the one half and k - i in the other. A half has no use for more blocks than it
 * holds bad ones, so that all this takes in the order of n * max_patterns steps.
 *
 * Covers 1 to FEW_BLOCKS_BAD_MAX blocks. Returns the number of patterns in ret_list: at most
 * max_patterns, and at most FEW_BLOCKS_MAX. Nests at most 41 deep.
 */
size_t few_blocks(const struct bad_blocks *bad, size_t max_patterns, struct few_blocks_work *work,
                  struct pattern *ret_list);
