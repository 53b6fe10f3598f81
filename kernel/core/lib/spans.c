// SPDX-License-Identifier: MIT
#include "lib/spans.h"

#include "lib/minmax.h"

size_t spans_add(struct span *spans, size_t n, uint64_t base, uint64_t end)
{
    if (base >= end)
        return n;
    spans[n] = (struct span){ base, end - base };
    return n + 1;
}

size_t spans_outside(const struct span *spans, size_t n, const struct span *cut, size_t n_cut,
                     struct span *ret_outside)
{
    size_t n_outside = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t at = spans[i].base, end = span_end(spans[i]);

        for (size_t k = 0; k < n_cut && cut[k].base < end; k++) {
            n_outside = spans_add(ret_outside, n_outside, at, cut[k].base);
            at = max_u64(at, span_end(cut[k]));
        }
        n_outside = spans_add(ret_outside, n_outside, at, end);
    }
    return n_outside;
}

size_t spans_outside_first(const struct span *spans, size_t n, const struct span *cut, size_t n_cut,
                           struct span *ret_order)
{
    size_t n_order = spans_outside(spans, n, cut, n_cut, ret_order);

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n_cut; k++) {
            struct span inside = span_intersect(spans[i], cut[k]);

            n_order = spans_add(ret_order, n_order, inside.base, span_end(inside));
        }
    }
    return n_order;
}
