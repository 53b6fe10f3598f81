// SPDX-License-Identifier: MIT
#include "plan/cuts.h"

#include "lib/minmax.h"

/* The first cut that ends after an address. */
static const struct cut *cut_after(const struct cut *first, const struct cut *past, uint64_t phys)
{
    while (first < past) {
        const struct cut *middle = first + (past - first) / 2;

        if (span_end(middle->span) <= phys)
            first = middle + 1;
        else
            past = middle;
    }
    return first;
}

struct span cuts_next(const struct cut *first, const struct cut *past, struct span *left, bool down,
                      bool *ret_left_out)
{
    uint64_t end = span_end(*left);
    const struct cut *c = cut_after(first, past, down ? end - 1 : left->base);
    struct span s = *left;

    *ret_left_out = false;
    if (c < past && span_contains(c->span, down ? end - 1 : s.base)) {
        s = span_intersect(s, c->span);
        *ret_left_out = c->state == CUT_LEFT_OUT;
    } else if (down && c > first) {
        s.base = max_u64(s.base, span_end(c[-1].span));
        s.size = end - s.base;
    } else if (!down && c < past) {
        s.size = min_u64(end, c->span.base) - s.base;
    }
    if (!down)
        left->base += s.size;
    left->size -= s.size;
    return s;
}
