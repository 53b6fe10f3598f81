// SPDX-License-Identifier: MIT
/*
 * BadRAM patterns: the arithmetic of address/mask pairs.
 *
 * A pattern (addr, mask) covers x when ((x ^ addr) & mask) == 0: Rick van Rein's BadRAM. Patterns
 * are page-granular: the mask's bits 0-11 are clear, and so are bits 52-63, because GRUB up to 2.14
 * never leaves its search loop when they are set. A bit of 12-51 that the mask holds is *fixed*,
 * one that it lacks is *free*. No function here steps through what a pattern covers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/page_index.h"

#define PATTERN_MASK_BITS UINT64_C(0x000ffffffffff000)

struct pattern {
    uint64_t addr; /* addr == (addr & mask) */
    uint64_t mask;
};

/* What a pattern covers of RAM. */
struct pattern_size {
    uint64_t pages;
    uint64_t ranges; /* maximal runs of adjoining pages */
};

static inline bool pattern_covers(struct pattern p, uint64_t addr)
{
    return ((addr ^ p.addr) & p.mask) == 0;
}

/* Whether one of n covers the address. */
bool pattern_list_covers(const struct pattern *list, size_t n, uint64_t addr);

/* Whether some address is covered by both. */
static inline bool pattern_meets(struct pattern a, struct pattern b)
{
    return ((a.addr ^ b.addr) & a.mask & b.mask) == 0;
}

/* Whether outer covers all that inner covers. */
static inline bool pattern_contains(struct pattern outer, struct pattern inner)
{
    return (outer.mask & ~inner.mask) == 0 && pattern_covers(outer, inner.addr);
}

/* What two patterns that meet both cover: it is a pattern again. */
static inline struct pattern pattern_overlap(struct pattern a, struct pattern b)
{
    return (struct pattern){ .addr = a.addr | b.addr, .mask = a.mask | b.mask };
}

/* The smallest pattern that covers both. */
static inline struct pattern pattern_join(struct pattern a, struct pattern b)
{
    uint64_t mask = a.mask & b.mask & ~(a.addr ^ b.addr);

    return (struct pattern){ .addr = a.addr & mask, .mask = mask };
}

/* 2^order adjoining pages; first is a multiple of that. */
struct pattern pattern_block(uint64_t first_page, unsigned order);

/* The smallest block that covers p: it makes one range where RAM has no gap. */
struct pattern pattern_hull(struct pattern p);

/*
 * p made coarser in the least way that makes fewer ranges of it: the gaps between the ranges that
 * are closest are filled. A block is returned as it is.
 */
struct pattern pattern_fill(struct pattern p);

/* RAM pages that p covers, exactly. */
uint64_t pattern_pages(struct pattern p, const struct page_index *space);

/* The same, with the ranges. */
struct pattern_size pattern_measure(struct pattern p, const struct page_index *space);

/* The first page not below page that p covers, RAM or not; PAGES_MAX when there is none. */
uint64_t pattern_next_page(struct pattern p, uint64_t page);

/* Sorts by address, then by mask. */
void pattern_sort(struct pattern *pattern, size_t n);

/*
 * What a list of patterns covers of RAM together, exactly: pages that several of them cover count
 * once, and ranges that touch are one. The list may have any order.
 */

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

/*
 * What a pattern costs: the RAM pages that it covers and, where ranges are scarce, a price for each
 * range that it makes. A price makes it worth while to fill a pattern's gaps, and cost_of()
 * fills them as long as that pays.
 */

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

/*
 * A set of patterns that merges what can be merged without loss: two patterns of one mask that
 * differ in one fixed bit are together exactly the pattern with that bit free. Whatever is added
 * is merged so until no bit of it allows more; thus bad pages at regular strides become one
 * pattern however they are arranged.
 */
#define PATTERN_SET_MAX     4096
#define PATTERN_SET_BUCKETS 4096

struct pattern_set {
    size_t n;
    uint64_t addr_bits; /* OR of all addresses ever added: no other bits need a try */
    struct pattern pattern[PATTERN_SET_MAX];
    uint16_t next[PATTERN_SET_MAX];     /* in the chain of a bucket */
    uint16_t head[PATTERN_SET_BUCKETS]; /* by hash of the pattern */
};

/* Makes a set of n patterns, at most PATTERN_SET_MAX, which may be set->pattern itself. */
void pattern_set_fill(struct pattern_set *set, const struct pattern *pattern, size_t n);

/* Adds a pattern to a set that has room for it. */
void pattern_set_add(struct pattern_set *set, struct pattern p);
