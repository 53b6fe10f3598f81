// SPDX-License-Identifier: MIT
#include "testing/span_set.h"

#include "lib/minmax.h"

static struct span join(struct span a, struct span b)
{
    uint64_t base = min_u64(a.base, b.base);

    return (struct span){ base, max_u64(span_end(a), span_end(b)) - base };
}

void span_set_add(struct span_set *set, struct span span)
{
    size_t kept = 0;

    if (!span.size)
        return;
    /* One pass is enough: the others are disjoint, so the grown span overlaps no further one. */
    for (size_t i = 0; i < set->n; i++) {
        if (span_intersect(set->span[i], span).size)
            span = join(set->span[i], span);
        else
            set->span[kept++] = set->span[i];
    }
    set->n = kept;
    if (set->n < SPAN_SET_MAX)
        set->span[set->n++] = span;
}

uint64_t span_set_bytes(const struct span_set *set)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < set->n; i++)
        bytes += set->span[i].size;
    return bytes;
}
