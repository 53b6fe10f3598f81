// SPDX-License-Identifier: MIT
#include "lib/spans.h"

#include "lib/sort.h"
#include "lib/string.h"

size_t spans_after(const struct spans *set, uint64_t addr)
{
    size_t low = 0, high = set->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (span_end(set->span[middle]) <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool spans_add(struct spans *set, struct span span)
{
    uint64_t base = span.base, end = span_end(span);
    size_t at = base ? spans_after(set, base - 1) : 0, past = at;

    if (!span.size)
        return true;
    for (; past < set->n && set->span[past].base <= end; past++) {
        base = min_u64(base, set->span[past].base);
        end = max_u64(end, span_end(set->span[past]));
    }
    if (past == at && set->n == set->max)
        return false;
    memmove(&set->span[at + 1], &set->span[past], (set->n - past) * sizeof(span));
    set->span[at] = (struct span){ base, end - base };
    set->n -= past - at;
    set->n++;
    return true;
}

bool spans_append(struct spans *list, struct span span)
{
    if (!span.size)
        return true;
    if (list->n == list->max)
        return false;
    list->span[list->n++] = span;
    return true;
}

static bool is_lower(const void *ctx, const void *a, const void *b)
{
    return ((const struct span *)a)->base < ((const struct span *)b)->base;
}

void spans_sort(struct spans *list)
{
    sort(list->span, list->n, sizeof(*list->span), is_lower, NULL);
}

bool spans_within(const struct spans *a, const struct spans *b, struct spans *ret)
{
    bool has_room = true;

    for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
        has_room &= spans_append(ret, span_intersect(a->span[i], b->span[k]));
        if (span_end(a->span[i]) < span_end(b->span[k]))
            i++;
        else
            k++;
    }
    return has_room;
}

static bool append_between(struct spans *ret, uint64_t base, uint64_t end)
{
    return base >= end || spans_append(ret, (struct span){ base, end - base });
}

bool spans_outside(const struct spans *a, const struct spans *b, struct spans *ret)
{
    bool has_room = true;

    for (size_t i = 0; i < a->n; i++) {
        uint64_t at = a->span[i].base, end = span_end(a->span[i]);

        for (size_t k = spans_after(b, at); k < b->n && b->span[k].base < end; k++) {
            has_room &= append_between(ret, at, b->span[k].base);
            at = span_end(b->span[k]);
        }
        has_room &= append_between(ret, at, end);
    }
    return has_room;
}

uint64_t spans_bytes(const struct spans *set)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < set->n; i++)
        bytes += set->span[i].size;
    return bytes;
}

struct span spans_first_in(const struct spans *set, struct span span)
{
    size_t i = spans_after(set, span.base);

    return i < set->n ? span_intersect(set->span[i], span) : (struct span){ 0 };
}

struct span spans_clear_of(const struct spans *set, const struct spans *avoid, struct span within,
                           uint64_t bytes)
{
    for (size_t i = spans_after(set, within.base); i < set->n; i++) {
        struct span common = span_intersect(set->span[i], within);
        uint64_t at = common.base, end = span_end(common);

        while (at < end && end - at >= bytes) {
            size_t k = spans_after(avoid, at);

            if (k == avoid->n || avoid->span[k].base >= at + bytes)
                return (struct span){ at, bytes };
            at = span_end(avoid->span[k]);
        }
    }
    return (struct span){ 0 };
}

void spans_walk(const struct spans *set, uint64_t first, uint64_t size,
                void (*visit)(void *ctx, struct span span), void *ctx)
{
    for (size_t i = 0; i < set->n && size; i++) {
        struct span s = set->span[i];
        uint64_t skipped = min_u64(first, s.size);

        first -= skipped;
        s = (struct span){ s.base + skipped, min_u64(s.size - skipped, size) };
        size -= s.size;
        if (s.size)
            visit(ctx, s);
    }
}
