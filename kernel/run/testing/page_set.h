// SPDX-License-Identifier: MIT
/* A set of pages, as spans in order of addresses, whose pages are counted from 0. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"

#define PAGE_SET_SPANS 512

/* All zero: empty. */
struct page_set {
    struct span span[PAGE_SET_SPANS]; /* whole pages; disjoint, and none adjoins another */
    size_t n;
    uint64_t n_pages;
    bool is_cut; /* there was no room for some pages */
};

/* Adds the whole pages of a span, some of which may be in the set already. */
void page_set_add(struct page_set *set, struct span span);

/* Calls visit for the spans of pages first to first + n - 1, which must be in the set. */
void page_set_walk(const struct page_set *set, uint64_t first, uint64_t n,
                   void (*visit)(void *ctx, struct span span), void *ctx);

/* The physical address of a page. */
uint64_t page_set_address(const struct page_set *set, uint64_t page);
