// SPDX-License-Identifier: MIT
/*
 * The best cover by a limited number of aligned blocks, where ranges do not matter.
 *
 * The bad blocks are the leaves of a binary tree. A node is the smallest block that holds the bad
 * blocks from one to another, and its halves hold those below and above the middle of it. The
 * fewest pages that k blocks in a node can cover follow from those of its halves (dynamic
 * programming): one block is the node itself, more of them are i in the one half and k - i in the
 * other. A half has no use for more blocks than it holds bad ones, so that all this takes in the
 * order of n * max_patterns steps.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "badram/pattern.h"

#define FEW_BLOCKS_BAD_MAX 4096
#define FEW_BLOCKS_MAX     512

/* Working memory, of any content. */
struct few_blocks_work {
    uint64_t pages[FEW_BLOCKS_BAD_MAX]; /* of 1, 2, ... blocks in a lower half, then in the upper */
    uint64_t joined[FEW_BLOCKS_MAX];
};

/*
 * Covers n blocks, by address and disjoint, 1 to FEW_BLOCKS_BAD_MAX. Returns the number of patterns
 * in ret_list: at most max_patterns, and at most FEW_BLOCKS_MAX. Nests at most 41 deep.
 */
size_t few_blocks(const struct page_index *space, const struct pattern *block, size_t n,
                  size_t max_patterns, struct few_blocks_work *work, struct pattern *ret_list);
