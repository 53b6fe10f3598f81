// SPDX-License-Identifier: MIT
/*
 * Bad pages, tested again at the end of a run: a fault that shows each time is one of cells, one that
 * shows now and then may be one of timing, of heat or of a contact.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_RETEST_MAX   1000 /* pages */
#define PAGE_RETEST_TRIES 8

struct page_retest {
    uint64_t addr;
    uint32_t tries;  /* so far; 0: not tested again */
    uint32_t failed; /* of them */
};

struct page_retest_way {
    bool (*is_free)(void *ctx, uint64_t addr); /* to be written to */
    bool (*is_bad)(void *ctx, uint64_t addr);  /* tests it once */
    bool (*has_time)(void *ctx);
    void *ctx;
};

/*
 * Tests each page that is free, all once before any is tested again, up to PAGE_RETEST_TRIES times,
 * while there is time. pages: n of them, whose tries and failed are 0.
 */
void page_retest(struct page_retest *pages, size_t n, const struct page_retest_way *way);
