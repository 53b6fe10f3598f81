// SPDX-License-Identifier: MIT
/*
 * Agglomerative merging: of all pairs of patterns the cheapest becomes one, again and again.
 *
 * Each pattern remembers its cheapest partner (a nearest-neighbour cache), so that n merges among n
 * patterns take in the order of n^2 comparisons.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "badram/pattern.h"

#define MERGE_MAX 1024

/* How merges are compared. */
enum merge_rule {
    MERGE_BY_COST,  /* what is newly covered, and a price for each range more or less */
    MERGE_PER_RANGE /* pages newly covered for each range saved */
};

struct merge_slot {
    struct pattern_size size; /* for MERGE_PER_RANGE */
    int64_t cost;             /* for MERGE_BY_COST */
    int64_t key;              /* of the cheapest merge; when stale, no merge is cheaper than this */
    uint32_t partner;         /* with whom */
};

struct merge_list {
    struct cost_rule cost;
    enum merge_rule rule;
    size_t n;
    struct pattern pattern[MERGE_MAX];
    struct merge_slot slot[MERGE_MAX];
};

/* Fills the list with n patterns, at most MERGE_MAX; those contained in others are dropped. */
void merge_load(struct merge_list *list, const struct page_index *space,
                const struct pattern *pattern, size_t n);

/*
 * Merges down to max_patterns, and further while that costs nothing: where a range has a price, as
 * long as the ranges saved are worth the pages lost.
 */
void merge_by_cost(struct merge_list *list, size_t max_patterns, uint64_t price);

/*
 * Merges patterns and fills the gaps in them, least pages lost for each range first, until the list
 * makes at most max_ranges ranges or there is nothing left that would save any.
 */
void merge_ranges(struct merge_list *list, uint64_t max_ranges);

/*
 * Makes a long list of blocks, sorted by address, short in linear time, a coarse step before a
 * careful one: joins the cheapest neighbours, each pair to the smallest block that covers both,
 * until at most target (1 or more) are left. Returns their number.
 */
size_t merge_neighbours(struct pattern *block, size_t n, size_t target,
                        const struct page_index *space);
