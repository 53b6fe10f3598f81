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

static bool is_held(const struct page_retest *page)
{
    return page->tries && !page->failed;
}

/* False: the wait was interrupted. */
static bool hold(struct page_retest *pages, size_t n, const struct page_retest_way *way, bool ones)
{
    for (size_t i = 0; i < n; i++) {
        if (is_held(&pages[i]))
            way->fill(way->ctx, pages[i].addr, ones);
    }
    if (!way->wait(way->ctx))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (is_held(&pages[i]) && !way->holds(way->ctx, pages[i].addr, ones))
            pages[i].lost_data = true;
    }
    return true;
}

static bool any_is_held(const struct page_retest *pages, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (is_held(&pages[i]))
            return true;
    }
    return false;
}

void page_retest_held(struct page_retest *pages, size_t n, const struct page_retest_way *way)
{
    if (!way->wait || !any_is_held(pages, n) || !hold(pages, n, way, false) ||
        !hold(pages, n, way, true))
        return;
    for (size_t i = 0; i < n; i++) {
        pages[i].tries += is_held(&pages[i]);
        pages[i].failed += pages[i].lost_data;
    }
}
