// SPDX-License-Identifier: MIT
#include "badram/cover_count.h"

#include "lib/minmax.h"

/*
 * Takes one pattern q that meets p out of p: for each bit that q fixes and p leaves free, the half
 * of p that differs from q there is outside q, and the search goes on in the other half. Each
 * level fixes a bit more.
 */
uint64_t cover_count_new(struct pattern p, const struct pattern *list, size_t n,
                         const struct page_index *space)
{
    uint64_t pages = 0;
    struct pattern q;

    while (n && !pattern_meets(p, list[n - 1]))
        n--;
    if (n == 0)
        return pattern_pages(p, space);
    q = list[--n];
    for (uint64_t left = q.mask & ~p.mask; left; left &= left - 1) {
        uint64_t bit = left & -left;

        p.mask |= bit;
        p.addr |= ~q.addr & bit;
        pages += cover_count_new(p, list, n, space);
        p.addr ^= bit;
    }
    return pages;
}

uint64_t cover_count_pages(const struct pattern *list, size_t n, const struct page_index *space)
{
    uint64_t pages = 0;

    for (size_t i = 0; i < n; i++)
        pages += cover_count_new(list[i], list, i, space);
    return pages;
}

static uint64_t next_covered(const struct pattern *list, size_t n, uint64_t page)
{
    uint64_t next = PAGES_MAX;

    for (size_t i = 0; i < n && next != page; i++) {
        uint64_t candidate = pattern_next_page(list[i], page);

        if (candidate < next)
            next = candidate;
    }
    return next;
}

/* The end of the largest block at page that one pattern covers; page itself when none covers it. */
static uint64_t block_end(const struct pattern *list, size_t n, uint64_t page)
{
    uint64_t end = page;

    for (size_t i = 0; i < n; i++) {
        uint64_t in_block = list[i].mask ? (list[i].mask & -list[i].mask) - 1 : UINT64_MAX;
        uint64_t last = (page << PAGE_SHIFT | in_block) >> PAGE_SHIFT;

        if (last >= end && pattern_covers(list[i], page << PAGE_SHIFT))
            end = last + 1;
    }
    return end;
}

uint64_t cover_count_ranges(const struct pattern *list, size_t n, const struct page_index *space,
                            uint64_t limit)
{
    uint64_t steps = 65536 + 4 * min_u64(limit, UINT32_MAX);
    uint64_t ranges = 0, page = 0;

    for (size_t i = 0; i < space->n_extents;) {
        uint64_t first = space->extent[i].run.first, end = page_run_end(space->extent[i].run), next;

        page = next_covered(list, n, max_u64(page, first));
        if (page >= end) {
            i = page_index_extent(space, page);
            continue;
        }
        if (++ranges > limit)
            break;
        while (page < end && (next = block_end(list, n, page)) != page) {
            page = min_u64(next, end);
            if (--steps == 0)
                return limit + 1;
        }
    }
    return ranges;
}
