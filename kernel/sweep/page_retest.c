// SPDX-License-Identifier: MIT
#include "sweep/page_retest.h"

void page_retest(struct page_retest *pages, size_t n, const struct page_retest_way *way)
{
    for (uint32_t i = 0; i < PAGE_RETEST_TRIES; i++) {
        for (size_t k = 0; k < n; k++) {
            struct page_retest *page = &pages[k];

            if (!way->has_time(way->ctx))
                return;
            if (!way->is_free(way->ctx, page->addr))
                continue;
            page->failed += way->is_bad(way->ctx, page->addr);
            page->tries++;
        }
    }
}
