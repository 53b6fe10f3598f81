// SPDX-License-Identifier: MIT
#include "testing/page_set.h"

#include "lib/minmax.h"
#include "lib/string.h"

static uint64_t pages_of(struct span s)
{
    return s.size >> PAGE_SHIFT;
}

/*
 * The spans of the set that overlap or adjoin the new one: returns the index of the first; ret_n:
 * their number.
 */
static size_t neighbours(const struct page_set *set, struct span s, size_t *ret_n)
{
    size_t at = 0, end;

    while (at < set->n && span_end(set->span[at]) < s.base)
        at++;
    for (end = at; end < set->n && set->span[end].base <= span_end(s);)
        end++;
    *ret_n = end - at;
    return at;
}

void page_set_add(struct page_set *set, struct span span)
{
    struct span s = span_whole_pages(span);
    size_t n, at;

    if (!s.size)
        return;
    at = neighbours(set, s, &n);
    if (!n && set->n == PAGE_SET_SPANS) {
        set->is_cut = true;
        return;
    }
    for (size_t i = at; i < at + n; i++) {
        uint64_t base = min_u64(s.base, set->span[i].base);

        set->n_pages -= pages_of(set->span[i]);
        s.size = max_u64(span_end(s), span_end(set->span[i])) - base;
        s.base = base;
    }
    memmove(&set->span[at + 1], &set->span[at + n], (set->n - at - n) * sizeof(s));
    set->span[at] = s;
    set->n = set->n - n + 1;
    set->n_pages += pages_of(s);
}

void page_set_walk(const struct page_set *set, uint64_t first, uint64_t n,
                   void (*visit)(void *ctx, struct span span), void *ctx)
{
    for (size_t i = 0; i < set->n && n; i++) {
        uint64_t here = pages_of(set->span[i]), taken;

        if (first >= here) {
            first -= here;
            continue;
        }
        taken = min_u64(n, here - first);
        visit(ctx, (struct span){ set->span[i].base + (first << PAGE_SHIFT), taken << PAGE_SHIFT });
        n -= taken;
        first = 0;
    }
}

static void keep_base(void *ctx, struct span span)
{
    *(uint64_t *)ctx = span.base;
}

uint64_t page_set_address(const struct page_set *set, uint64_t page)
{
    uint64_t address = 0;

    page_set_walk(set, page, 1, keep_base, &address);
    return address;
}
