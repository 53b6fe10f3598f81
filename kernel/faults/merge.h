/*
 * Agglomerative merging: of all pairs of patterns the cheapest becomes one, again and again.
 *
 * What a merge costs is the RAM pages that it newly covers; what it may save besides a pattern is
 * ranges. Each pattern remembers its cheapest partner (a nearest-neighbour cache), so that n merges
 * among n patterns take in the order of n^2 comparisons.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "faults/pattern.h"

#define MERGE_MAX 1024

/* How merges are compared. */
enum merge_rule {
    MERGE_PAGES,    /* pages newly covered; ranges do not matter */
    MERGE_PRICED,   /* pages, and a price in pages for each range more or less */
    MERGE_PER_RANGE /* pages for each range saved */
};

struct merge_slot {
    struct pattern_size size;
    int64_t key;      /* of the cheapest merge; when stale, no merge is cheaper than this */
    uint32_t partner; /* with whom */
};

struct merge_list {
    const struct page_space *space;
    enum merge_rule rule;
    unsigned price_shift; /* MERGE_PRICED: a range costs 2^price_shift pages */
    size_t n;
    struct pattern pattern[MERGE_MAX];
    struct merge_slot slot[MERGE_MAX];
};

/* Fills the list with n patterns, at most MERGE_MAX; those contained in others are dropped. */
void merge_load(struct merge_list *list, const struct page_space *space,
                const struct pattern *pattern, size_t n);

/* Merges down to max_patterns, and further while that costs nothing. */
void merge_by_pages(struct merge_list *list, size_t max_patterns);

/*
 * The same with a price of 2^price_shift (at most 2^24) pages on each range: goes on while the
 * ranges saved are worth more than the pages lost.
 */
void merge_by_price(struct merge_list *list, size_t max_patterns, unsigned price_shift);

/*
 * Merges patterns and fills the gaps in them, least pages lost for each range first, until the list
 * makes at most max_ranges ranges or there is nothing left that would save any.
 */
void merge_ranges(struct merge_list *list, uint64_t max_ranges);
