// SPDX-License-Identifier: MIT
/*
 * A search for fault-free pages, which page tables then map as one kernel image. A single run of
 * adjoining pages is preferred, if there is one within GOOD_PAGES_RUN_TRIES; else the first good
 * pages found are taken. Pure.
 */
#pragma once

#include <stdbool.h>

#include "boot/check/image_check.h"
#include "boot/load/bad_pages.h"
#include "boot/load/pages.h"
#include "lib/status.h"

/* Pages that are tested at a time. */
#define PAGE_SOURCE_CHUNK 64

/* After this number of tested pages (16 MiB) a single run is not looked for any more. */
#define GOOD_PAGES_RUN_TRIES 4096

/* Memory to search. */
struct page_source {
    /*
     * Writes the numbers of adjoining pages, at most PAGE_SOURCE_CHUNK, that are free and were not
     * returned before, and returns how many. 0: there are no more.
     */
    uint32_t (*next)(void *ctx, uint32_t *ret_page);
    void (*tested)(void *ctx, uint32_t n_tested); /* in all: to show how far it has come */
    void *ctx;
};

/* To begin with all is 0, but for `wanted` and `bad`. */
struct good_pages {
    uint32_t *page;  /* the pages found; the list itself is in the first of them */
    uint32_t wanted; /* less than PAGE_SIZE / sizeof(*page) */
    uint32_t n;
    uint32_t n_tested, n_bad;
    uint32_t run_first, run_n; /* the last adjoining pages found */
    struct bad_pages *bad;     /* those found meanwhile */
};

/*
 * After a search that found too few: whether most of the pages that it lists as bad pass another
 * march. Their content is lost.
 */
bool good_pages_pass_again(const struct good_pages *c);

/* What that means. */
#define GOOD_PAGES_PASSED_AGAIN                                                                    \
    "Most bad pages passed when they were tested again: errors come at random, as by a faulty "    \
    "processor, settings such as XMP or EXPO, heat or power."

/*
 * Whether another page shares cells with one of them: a word of it is changed, and put back.
 * Nothing else may use any of these pages meanwhile.
 */
bool good_pages_share(const struct good_pages *c, void *page);

/* Removes page number i from the list, and changes the order of the others. */
void good_pages_remove(struct good_pages *c, uint32_t i);

/*
 * Finds c->wanted good pages, at least n_memory_pages of the image, and puts the image into the
 * first of them, each page checked there. The pages of the source overlap no copy.
 *
 * c->page is then the image's own list of its pages, in boot_info.kernel_page. STATUS_NOT_FOUND:
 * there are too few good pages. STATUS_INVALID: a page of the image is damaged in every copy, which
 * says nothing of the page that it was to be put into.
 */
enum status load_image(const struct image_copies *copies, struct good_pages *c,
                       const struct page_source *source);
