// SPDX-License-Identifier: MIT
/* Free memory below 4 GiB, taken from firmware block by block, from the top down. */
#pragma once

#include "boot/place/collect.h"

struct blocks {
    struct collect_source source; /* that gives them page by page */
    const struct collection *pages;
    uint64_t n_pages;    /* of a block: fewer when there is no such block any more */
    uint32_t next, end;  /* what is left of the block at hand */
    uint32_t bad_before; /* it was taken */
    uint32_t n_reports;
};

/*
 * Blocks as large as what `pages` is to hold, then smaller ones. All are kept, so that nobody is
 * given them again; to the kernel they are free memory, which it tests. Says on the console where
 * there are holes, and how far the search has come when it takes long.
 */
void blocks_begin(struct blocks *blocks, const struct collection *pages);
