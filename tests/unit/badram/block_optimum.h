// SPDX-License-Identifier: MIT
/* The optimum over aligned blocks, by halving memory down to the page: slow, and plainly right. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "log/page_index.h"

#define BLOCK_OPTIMUM_PATTERNS_MAX 128
#define BLOCK_OPTIMUM_NONE         (UINT64_MAX / 4)

static inline uint64_t block_optimum_ram(const struct page_index *space, uint64_t first,
                                         uint64_t end)
{
    uint64_t n = 0;

    for (size_t i = 0; i < space->n_extents; i++) {
        struct page_run run = space->extent[i].run;
        uint64_t from = run.first > first ? run.first : first;
        uint64_t to = page_run_end(run) < end ? page_run_end(run) : end;

        n += to > from ? to - from : 0;
    }
    return n;
}

/* ret[k]: the fewest pages of at most k blocks that hold the n bad pages of this one. */
static inline void block_optimum_of(const struct page_index *space, uint64_t first, unsigned order,
                                    const uint64_t *bad, size_t n, size_t max_patterns,
                                    uint64_t *ret)
{
    uint64_t lower[BLOCK_OPTIMUM_PATTERNS_MAX + 1], upper[BLOCK_OPTIMUM_PATTERNS_MAX + 1];
    uint64_t whole = block_optimum_ram(space, first, first + (UINT64_C(1) << order));
    size_t n_lower = 0;

    for (size_t k = 0; k <= max_patterns; k++)
        ret[k] = n == 0 ? 0 : k ? whole : BLOCK_OPTIMUM_NONE;
    if (n == 0 || order == 0)
        return;
    while (n_lower < n && bad[n_lower] < first + (UINT64_C(1) << (order - 1)))
        n_lower++;
    block_optimum_of(space, first, order - 1, bad, n_lower, max_patterns, lower);
    block_optimum_of(space, first + (UINT64_C(1) << (order - 1)), order - 1, bad + n_lower,
                     n - n_lower, max_patterns, upper);
    for (size_t k = 0; k <= max_patterns; k++) {
        for (size_t i = 0; i <= k; i++)
            ret[k] = lower[i] + upper[k - i] < ret[k] ? lower[i] + upper[k - i] : ret[k];
    }
}

/* RAM pages of the best cover by at most max_patterns blocks. Bad pages ascend. */
static inline uint64_t block_optimum(const struct page_index *space, const uint64_t *bad, size_t n,
                                     size_t max_patterns)
{
    uint64_t ret[BLOCK_OPTIMUM_PATTERNS_MAX + 1];

    block_optimum_of(space, 0, 40, bad, n, max_patterns, ret);
    return ret[max_patterns];
}
