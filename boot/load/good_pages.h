// SPDX-License-Identifier: MIT
/*
 * Sound pages for the kernel to live in, looked for page by page: its page tables make one image of
 * them. One piece of adjoining pages is preferred, as long as it is not looked for for too long;
 * else the first sound pages found are taken. Pure.
 */
#pragma once

#include "boot/load/bad_pages.h"
#include "boot/load/pages.h"
#include "lib/status.h"

/* Pages that are tested at a time. */
#define PAGE_SOURCE_CHUNK 64

/* When so many have been tested (16 MiB) and there are enough, no single piece is looked for. */
#define GOOD_PAGES_RUN_TRIES 4096

/* Memory to look through. */
struct page_source {
    /*
     * Writes the numbers of adjoining pages, at most PAGE_SOURCE_CHUNK, that nobody uses and that
     * were not given before, and returns how many. 0: there are no more.
     */
    uint32_t (*next)(void *ctx, uint32_t *ret_page);
    void (*tested)(void *ctx, uint32_t n_tested); /* in all: to show how far it has come */
    void *ctx;
};

/* To begin with all is 0, but for `wanted` and `bad`. */
struct good_pages {
    uint32_t *page;  /* the pages found; the list itself lies in the first of them */
    uint32_t wanted; /* at most PAGE_SIZE / sizeof(*page) */
    uint32_t n;
    uint32_t n_tested, n_bad;
    uint32_t run_first, run_n; /* the last adjoining pages found */
    struct bad_pages *bad;     /* what was found on the way */
};

/*
 * Goes on looking until there are as many pages as wanted, which share no cells with each other.
 * STATUS_NOT_FOUND: the source has no more; n says how many there were.
 */
enum status good_pages_find(struct good_pages *c, const struct page_source *source);

/* Page number i of the list is bad: it is struck off, and others change their places. */
void good_pages_remove(struct good_pages *c, uint32_t i);
