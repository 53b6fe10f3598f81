// SPDX-License-Identifier: MIT
/*
 * Recognizing a page that is seen at another address: by one word of it, at the same offset in each
 * page. The word of a free page is made from its address; the words of pages in use stay as they
 * are and are looked up in a table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"

/* Pages from here on cannot be marked. */
#define PAGE_TAGS_PHYS_END (UINT64_C(1) << 46)

/*
 * The mark of the page at page_phys, which no other page has. key: any number, a new one each time,
 * so that old marks are none. Never 0, and its bit 0 is clear: in a page table it maps nothing.
 *
 * It has 28 check bits, so a mark that a faulty cell has damaged is not the mark of another page,
 * which may be good.
 */
uint64_t page_tags_mark(uint64_t key, uint64_t page_phys);

/* Whether a word is a mark made with this key; of ret_page_phys. */
bool page_tags_is_mark(uint64_t key, uint64_t word, uint64_t *ret_page_phys);

struct page_tag {
    uint64_t word; /* 0: no entry */
    uint64_t page_phys;
};

/* Open addressing, half full at most. The fields are its own. */
struct page_tags {
    struct page_tag *entry;
    uint64_t n_entries; /* a power of two */
    uint64_t n_used;
};

/* Memory for n_pages. */
uint64_t page_tags_bytes(uint64_t n_pages);

/* An empty table in page_tags_bytes(n_pages) of zeroed memory. */
void page_tags_init(struct page_tags *words, void *memory, uint64_t n_pages);

/* A page in use and its word, not 0. Of at most n_pages, and some hundredths more. */
void page_tags_add(struct page_tags *words, uint64_t word, uint64_t page_phys);

/*
 * The next page that has this word; *at is where to look on, at first 0. False: no more. 0 is no
 * page's word.
 */
bool page_tags_next(const struct page_tags *words, uint64_t word, uint64_t *at,
                    uint64_t *ret_page_phys);
