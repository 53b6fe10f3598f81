// SPDX-License-Identifier: MIT
#include "memory/outside.h"

#include "lib/minmax.h"

static size_t add(struct span *order, size_t n, uint64_t base, uint64_t end)
{
    if (base >= end)
        return n;
    order[n] = (struct span){ base, end - base };
    return n + 1;
}

size_t spans_outside(const struct span *free, size_t n, const struct span *cut, size_t n_cut,
                     struct span *ret_outside)
{
    size_t n_outside = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t at = free[i].base, end = span_end(free[i]);

        for (size_t k = 0; k < n_cut && cut[k].base < end; k++) {
            n_outside = add(ret_outside, n_outside, at, cut[k].base);
            at = max_u64(at, span_end(cut[k]));
        }
        n_outside = add(ret_outside, n_outside, at, end);
    }
    return n_outside;
}

size_t order_untested_first(const struct span *free, size_t n_free, const struct span *tested,
                            size_t n_tested, struct span *ret_order)
{
    size_t n = spans_outside(free, n_free, tested, n_tested, ret_order);

    for (size_t i = 0; i < n_free; i++) {
        for (size_t k = 0; k < n_tested; k++) {
            struct span inside = span_intersect(free[i], tested[k]);

            n = add(ret_order, n, inside.base, span_end(inside));
        }
    }
    return n;
}
