// SPDX-License-Identifier: MIT
/*
 * Pages of RAM, numbered without gaps.
 *
 * A machine's RAM is scattered over up to 2^52 bytes of address space. A page space numbers the
 * 4 KiB pages that hold RAM 0..n_pages-1 in address order, so that a bitmap over all of them is
 * only as large as the RAM. A *page* here is a page number (address >> PAGE_SHIFT), an *index* its
 * place in the page space.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"
#include "lib/status.h"

/* Physical addresses have at most 52 bits: AMD64 APM volume 2, 5.3. */
#define PAGES_MAX (UINT64_C(1) << (52 - PAGE_SHIFT))

/* Adjoining pages. */
struct page_run {
    uint64_t first;
    uint64_t count;
};

/* Adjoining pages of RAM with no RAM page on either side, and the index of the first. */
struct page_extent {
    struct page_run run;
    uint64_t index;
};

struct page_index {
    const struct page_extent *extent; /* by address */
    size_t n_extents;
    uint64_t n_pages;
};

static inline uint64_t page_run_end(struct page_run run)
{
    return run.first + run.count;
}

/*
 * Numbers the pages of n RAM spans, sorted by address and disjoint; empty ones are skipped. A page
 * belongs if any byte of it is RAM. extent[] stays in use as long as the space; n elements are
 * always enough. STATUS_INVALID: not sorted, overlapping, or beyond 2^52. STATUS_NO_SPACE: extent[]
 * is too short.
 */
enum status page_index_init(struct page_index *ret_space, struct page_extent *extent,
                            size_t max_extents, const struct span *ram, size_t n);

/* STATUS_NOT_FOUND: the page holds no RAM. */
enum status page_index_index(const struct page_index *space, uint64_t page, uint64_t *ret_index);

/* The page at an index below n_pages. */
uint64_t page_index_page(const struct page_index *space, uint64_t index);

/* The first extent that ends above page; n_extents when there is none. */
size_t page_index_extent(const struct page_index *space, uint64_t page);
