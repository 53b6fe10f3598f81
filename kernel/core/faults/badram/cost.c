// SPDX-License-Identifier: MIT
#include "badram/cost.h"

#include "lib/bits.h"

/* A cap on counted ranges: no such pattern is useful. Keeps costs within 64 bits. */
#define RANGES_CAP (UINT64_C(1) << 22)

/* As if all that p covers were RAM: good enough to choose by, and quick. */
static double estimate(const struct cost_rule *rule, struct pattern p)
{
    uint64_t free = ~p.mask & PATTERN_MASK_BITS, in_block = (p.mask & -p.mask) - 1;
    double pages = (double)(UINT64_C(1) << bits_count(free));
    double ranges = (double)(UINT64_C(1) << bits_count(free & ~in_block));

    return pages + ranges * (double)rule->price;
}

static struct pattern fill(const struct cost_rule *rule, struct pattern p)
{
    struct pattern best = p;
    double least = estimate(rule, p);

    for (;;) {
        struct pattern filled = pattern_fill(p);
        double cost;

        if (filled.mask == p.mask)
            return best;
        p = filled;
        cost = estimate(rule, p);
        if (cost < least) {
            least = cost;
            best = p;
        }
    }
}

int64_t cost_of(const struct cost_rule *rule, struct pattern p, struct pattern *ret_filled)
{
    struct pattern_size size;

    if (rule->price == 0) {
        size = (struct pattern_size){ .pages = pattern_pages(p, rule->space) };
    } else {
        p = fill(rule, p);
        size = pattern_measure(p, rule->space);
        if (size.ranges > RANGES_CAP)
            size.ranges = RANGES_CAP;
    }
    if (ret_filled)
        *ret_filled = p;
    return (int64_t)(size.pages + size.ranges * rule->price);
}

int64_t cost_bound(const struct cost_rule *rule, struct pattern p)
{
    return (int64_t)((UINT64_C(1) << bits_count(~p.mask & PATTERN_MASK_BITS)) / 4 + rule->price);
}
