// SPDX-License-Identifier: MIT
/* Free memory below 4 GiB, taken from firmware block by block, from the top down. */
#pragma once

#include "boot/load/good_pages.h"

struct blocks {
    struct page_source source; /* that returns the blocks page by page */
    const struct good_pages *pages;
    uint64_t n_pages; /* of a block, set by the caller: halved when there is no block that large */
    uint32_t next, end;  /* what is left of the current block */
    uint32_t bad_before; /* before it was taken */
    uint32_t n_reports;
};

/*
 * For a search that fills `pages`. All blocks stay allocated, so that firmware returns none twice;
 * to the kernel they are free memory, which it tests. Prints which blocks have faulty cells, and
 * the progress of a long search.
 */
void blocks_begin(struct blocks *blocks, const struct good_pages *pages);
