// SPDX-License-Identifier: MIT
#include "badram/collect.h"

#include "badram/bad_blocks.h"
#include "badram/premerge.h"
#include "badram/regions.h"

/* Regions are useful when they are few and mostly bad. */
#define REGIONS_MAX        1024
#define REGIONS_SPARSENESS 16

size_t collect_blocks(const struct fault_log *log, struct pattern *ret_block, size_t max)
{
    struct bad_blocks blocks = bad_blocks_start(log);
    struct pattern block;
    size_t n = 0;

    while (bad_blocks_next(&blocks, &block)) {
        if (n == max)
            return 0;
        ret_block[n++] = block;
    }
    return n;
}

size_t collect_few_blocks(const struct fault_log *log, struct pattern *ret_block, size_t max)
{
    struct bad_blocks blocks = bad_blocks_start(log);
    struct pattern block;
    size_t n = 0;

    while (bad_blocks_next(&blocks, &block)) {
        if (n == max)
            n = premerge_blocks(ret_block, n, max / 2, log->space);
        if (n == 0 || !pattern_contains(ret_block[n - 1], block))
            ret_block[n++] = block;
    }
    return n;
}

static bool collect_exactly(const struct fault_log *log, struct pattern_set *set)
{
    struct bad_blocks blocks = bad_blocks_start(log);
    struct pattern block;

    pattern_set_clear(set);
    while (bad_blocks_next(&blocks, &block)) {
        if (set->n == PATTERN_SET_MAX)
            return false;
        pattern_set_add(set, block);
    }
    return true;
}

static bool collect_regions(const struct fault_log *log, struct pattern_set *set)
{
    for (unsigned sparseness = 2; sparseness <= REGIONS_SPARSENESS; sparseness *= 2) {
        set->n = regions_grow(log, sparseness, set->pattern, REGIONS_MAX);
        if (set->n) {
            pattern_set_rebuild(set);
            return true;
        }
    }
    return false;
}

static void collect_nearest(const struct fault_log *log, struct pattern_set *set)
{
    set->n = collect_few_blocks(log, set->pattern, PATTERN_SET_MAX);
    pattern_set_rebuild(set);
}

void collect_patterns(const struct fault_log *log, struct pattern_set *ret_set)
{
    if (!collect_exactly(log, ret_set) && !collect_regions(log, ret_set))
        collect_nearest(log, ret_set);
}
