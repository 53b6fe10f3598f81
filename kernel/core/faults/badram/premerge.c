// SPDX-License-Identifier: MIT
#include "badram/premerge.h"

#define COST_BITS 64

static struct pattern joined(struct pattern a, struct pattern b)
{
    return pattern_hull(pattern_join(a, b));
}

/* The number of bits in the cost of joining a and b: RAM pages newly covered. */
static unsigned cost_bits(struct pattern a, struct pattern b, const struct page_index *space)
{
    uint64_t before = pattern_pages(a, space) + pattern_pages(b, space);
    uint64_t after = pattern_pages(joined(a, b), space);

    return after > before ? COST_BITS - (unsigned)__builtin_clzll(after - before) : 0;
}

/* The least number of bits that enough neighbours stay within for `excess` joins. */
static unsigned affordable_bits(const struct pattern *block, size_t n, size_t excess,
                                const struct page_index *space)
{
    size_t pairs[COST_BITS + 1] = { 0 }, sum = 0;
    unsigned bits = 0;

    for (size_t i = 0; i + 1 < n; i++)
        pairs[cost_bits(block[i], block[i + 1], space)]++;
    for (; bits < COST_BITS; bits++) {
        sum += pairs[bits];
        if (sum >= excess)
            break;
    }
    return bits;
}

size_t premerge_blocks(struct pattern *block, size_t n, size_t target,
                       const struct page_index *space)
{
    while (n > target) {
        unsigned bits = affordable_bits(block, n, n - target, space);
        size_t kept = 0;

        for (size_t i = 0; i < n;) {
            struct pattern p = block[i++];

            if (i < n && kept + 1 + (n - i) > target && cost_bits(p, block[i], space) <= bits) {
                p = joined(p, block[i++]);
                while (kept && pattern_contains(p, block[kept - 1]))
                    kept--;
                while (i < n && pattern_contains(p, block[i]))
                    i++;
            }
            block[kept++] = p;
        }
        n = kept;
    }
    return n;
}
