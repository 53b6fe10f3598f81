// SPDX-License-Identifier: MIT
#include "bootcfg/ranges.h"

#include "lib/panic.h"
#include "lib/string.h"

static bool costs_more(struct range_gap a, struct range_gap b)
{
    return a.has_hole != b.has_hole ? a.has_hole : a.pages > b.pages;
}

/* Whose gap costs least; there are at least two. */
static size_t cheapest(const struct ranges *r)
{
    size_t best = 1;

    for (size_t i = 2; i < r->n; i++) {
        if (costs_more(r->gap[best], r->gap[i]))
            best = i;
    }
    return best;
}

static void count_loss(struct ranges *r, struct range_gap gap)
{
    r->lost_pages += gap.pages;
    r->crosses |= gap.has_hole;
}

/* Joins range i to the one before. */
static void join(struct ranges *r, size_t i)
{
    size_t after = r->n - i - 1;

    count_loss(r, r->gap[i]);
    r->run[i - 1].count = page_run_end(r->run[i]) - r->run[i - 1].first;
    memmove(&r->run[i], &r->run[i + 1], after * sizeof(r->run[0]));
    memmove(&r->gap[i], &r->gap[i + 1], after * sizeof(r->gap[0]));
    r->n--;
}

uint64_t ranges_count(const struct fault_log *log)
{
    uint64_t index = 0, n = 0;
    struct page_run run;

    while (fault_log_next_run(log, &index, &run))
        n++;
    return n;
}

void ranges_collect(const struct fault_log *log, size_t max, struct ranges *ret_ranges)
{
    struct ranges *r = ret_ranges;
    uint64_t index = 0, end_index = 0;
    size_t least = 0; /* the cheapest gap, once the list is full; 0: not looked for */
    struct page_run run;

    ASSERT(max > 0 && max <= RANGES_MAX);
    r->n = 0;
    r->bad_pages = r->lost_pages = 0;
    r->crosses = false;
    for (; fault_log_next_run(log, &index, &run); end_index = index) {
        struct page_run *last = r->n ? &r->run[r->n - 1] : NULL;
        struct range_gap gap = { .pages = index - run.count - end_index };

        gap.has_hole = last && run.first - page_run_end(*last) != gap.pages;
        r->bad_pages += run.count;
        if (r->n == max) {
            if (max > 1 && !least)
                least = cheapest(r);
            if (max == 1 || !costs_more(gap, r->gap[least])) {
                count_loss(r, gap);
                last->count = page_run_end(run) - last->first;
                continue;
            }
            join(r, least);
            least = 0;
        }
        r->run[r->n] = run;
        r->gap[r->n++] = gap;
    }
}

void ranges_join(struct ranges *ranges, size_t max)
{
    ASSERT(max > 0);
    while (ranges->n > max)
        join(ranges, cheapest(ranges));
}
