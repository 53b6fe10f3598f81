// SPDX-License-Identifier: MIT
#include "badram/premerge.h"

#define COST_BITS 64

static struct pattern joined(struct pattern a, struct pattern b, enum premerge_with with)
{
    struct pattern join = pattern_join(a, b);

    return with == PREMERGE_BY_HULL ? pattern_hull(join) : join;
}

/* The number of bits in the cost of joining a and b: RAM pages newly covered. */
static unsigned cost_bits(struct pattern a, struct pattern b, enum premerge_with with,
                          const struct page_space *space)
{
    uint64_t before = pattern_pages(a, space) + pattern_pages(b, space);
    uint64_t after = pattern_pages(joined(a, b, with), space);

    return after > before ? COST_BITS - (unsigned)__builtin_clzll(after - before) : 0;
}

/* The least number of bits that enough neighbours stay within for `excess` joins. */
static unsigned affordable_bits(const struct pattern *pattern, size_t n, size_t excess,
                                enum premerge_with with, const struct page_space *space)
{
    size_t pairs[COST_BITS + 1] = { 0 }, sum = 0;
    unsigned bits = 0;

    for (size_t i = 0; i + 1 < n; i++)
        pairs[cost_bits(pattern[i], pattern[i + 1], with, space)]++;
    for (; bits < COST_BITS; bits++) {
        sum += pairs[bits];
        if (sum >= excess)
            break;
    }
    return bits;
}

size_t premerge_patterns(struct pattern *pattern, size_t n, size_t target, enum premerge_with with,
                         const struct page_space *space)
{
    while (n > target) {
        unsigned bits = affordable_bits(pattern, n, n - target, with, space);
        size_t kept = 0;

        for (size_t i = 0; i < n;) {
            struct pattern p = pattern[i++];

            if (i < n && kept + 1 + (n - i) > target &&
                cost_bits(p, pattern[i], with, space) <= bits) {
                p = joined(p, pattern[i++], with);
                while (kept && pattern_contains(p, pattern[kept - 1]))
                    kept--;
                while (i < n && pattern_contains(p, pattern[i]))
                    i++;
            }
            pattern[kept++] = p;
        }
        n = kept;
    }
    return n;
}
