// SPDX-License-Identifier: MIT
#include "memory/outside.h"

#include "lib/spans.h"

size_t order_untested_first(const struct span *free, size_t n_free, const struct span *tested,
                            size_t n_tested, struct span *ret_order)
{
    size_t n = spans_outside(free, n_free, tested, n_tested, ret_order);

    for (size_t i = 0; i < n_free; i++) {
        for (size_t k = 0; k < n_tested; k++) {
            struct span inside = span_intersect(free[i], tested[k]);

            n = spans_add(ret_order, n, inside.base, span_end(inside));
        }
    }
    return n;
}
