// SPDX-License-Identifier: MIT
#include "sweep/page_retest.h"

/* Every other try by the CPU that found the page. */
static struct page_retest_by *turn_of(struct page_retest *page, uint32_t i)
{
    return &page->by[i % 2 ? 1 + i / 2 % (PAGE_RETEST_CPUS - 1) : 0];
}

static void try_once(struct page_retest *page, struct page_retest_by *by,
                     const struct page_retest_way *way)
{
    bool is_bad = way->is_bad(way->ctx, page->addr, by->cpu);

    by->tries++;
    by->failed += is_bad;
    page->tries++;
    page->failed += is_bad;
}

void page_retest(struct page_retest *pages, size_t n, const struct page_retest_way *way)
{
    for (uint32_t i = 0; i < PAGE_RETEST_TRIES; i++) {
        for (size_t k = 0; k < n; k++) {
            struct page_retest *page = &pages[k];

            if (!way->has_time(way->ctx))
                return;
            if (way->is_free(way->ctx, page->addr))
                try_once(page, turn_of(page, i), way);
        }
    }
}

static bool is_held(const struct page_retest *page)
{
    return page->tries && !page->failed;
}

static bool any_is_held(const struct page_retest *pages, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (is_held(&pages[i]))
            return true;
    }
    return false;
}

static void fill(struct page_retest *page, const struct page_retest_way *way, bool complement)
{
    way->fill(way->ctx, page->addr, complement);
    if (way->holds(way->ctx, page->addr, complement))
        return;
    page->tries++;
    page->failed++;
    page->lost_data = false;
}

/* False: there is nothing to be held, or the wait was interrupted. */
static bool hold(struct page_retest *pages, size_t n, const struct page_retest_way *way,
                 bool complement)
{
    for (size_t i = 0; i < n; i++) {
        if (is_held(&pages[i]))
            fill(&pages[i], way, complement);
    }
    if (!any_is_held(pages, n) || !way->wait(way->ctx))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (is_held(&pages[i]) && !way->holds(way->ctx, pages[i].addr, complement))
            pages[i].lost_data = true;
    }
    return true;
}

void page_retest_held(struct page_retest *pages, size_t n, const struct page_retest_way *way)
{
    if (!way->wait || !hold(pages, n, way, false) || !hold(pages, n, way, true))
        return;
    for (size_t i = 0; i < n; i++) {
        pages[i].tries += is_held(&pages[i]);
        pages[i].failed += pages[i].lost_data;
    }
}
