// SPDX-License-Identifier: MIT
#include "tests/bench/cover_optimum.h"

#include "badram/pattern.h"
#include "lib/panic.h"

struct search {
    const struct page_index *space;
    uint64_t page[COVER_OPTIMUM_PAGES];
    size_t n_pages, max_patterns;
    struct pattern group[COVER_OPTIMUM_PAGES];
    uint64_t best;
};

/* Puts page i into each of the n groups there are, and into a new one. */
static void divide(struct search *s, size_t i, size_t n)
{
    struct pattern page;

    if (i == s->n_pages) {
        uint64_t pages = cover_count_pages(s->group, n, s->space);

        if (pages < s->best)
            s->best = pages;
        return;
    }
    page = pattern_block(s->page[i], 0);
    for (size_t g = 0; g < n; g++) {
        struct pattern before = s->group[g];

        s->group[g] = pattern_join(before, page);
        divide(s, i + 1, n);
        s->group[g] = before;
    }
    if (n < s->max_patterns) {
        s->group[n] = page;
        divide(s, i + 1, n + 1);
    }
}

uint64_t cover_optimum(const struct fault_log *log, size_t max_patterns)
{
    struct search s = { .space = log->space, .max_patterns = max_patterns, .best = UINT64_MAX };
    struct page_run run;

    for (uint64_t index = 0; fault_log_next_run(log, &index, &run);) {
        for (uint64_t page = run.first; page < page_run_end(run); page++) {
            ASSERT(s.n_pages < COVER_OPTIMUM_PAGES);
            s.page[s.n_pages++] = page;
        }
    }
    divide(&s, 0, 0);
    return s.best;
}
