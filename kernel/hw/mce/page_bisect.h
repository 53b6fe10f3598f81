// SPDX-License-Identifier: MIT
/*
 * The page of an error without an address, found by reading halves of what is suspected. Pure: the
 * host tests it.
 *
 * An error that shows at one read in three needs several tries, at each step: with 30 a page is
 * missed once in 200,000 steps, and from 128 MiB to a page it is 15 of them. What is found is read
 * again in turn with nothing at all: errors that come while nothing is read are from elsewhere, and
 * must not make a good page bad. That those of another source come 8 times while the page is read,
 * and never with nothing, happens once in 256 times.
 */
#pragma once

#include <stdint.h>

#define PAGE_BISECT_TRIES  30  /* of each step */
#define PAGE_BISECT_SHOWS  8   /* times that the page shows it, and reading nothing does not, */
#define PAGE_BISECT_CHECKS 100 /* within this number of reads of each */

enum page_bisect_probe {
    PAGE_BISECT_QUIET,
    PAGE_BISECT_SHOWN,
    PAGE_BISECT_BREAK, /* there is no time for more */
};

/* Reads pages first to first + n - 1 of the suspected ones, and says whether the error came. */
typedef enum page_bisect_probe (*page_bisect_read)(void *ctx, uint64_t first, uint64_t n);

enum page_bisect_end {
    PAGE_BISECT_FOUND,
    PAGE_BISECT_NOT_AGAIN, /* not in any of the tries; first and n: where it may still be */
    PAGE_BISECT_ELSEWHERE, /* it comes whether the page is read or not */
    PAGE_BISECT_BROKEN_OFF,
};

struct page_bisect_result {
    enum page_bisect_end end;
    uint64_t first, n; /* what remains; FOUND: one page */
    uint32_t tries;    /* of all steps: both halves, or one page, count as one */
};

/* n_pages at least 1. */
struct page_bisect_result page_bisect(uint64_t n_pages, page_bisect_read read, void *ctx);
