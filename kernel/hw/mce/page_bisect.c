// SPDX-License-Identifier: MIT
#include "mce/page_bisect.h"

struct search {
    page_bisect_read read;
    void *ctx;
    struct page_bisect_result found; /* so far */
};

/* Continues with the half that shows the error. */
static enum page_bisect_probe try_halves(struct search *s)
{
    struct page_bisect_result *r = &s->found;
    uint64_t half = r->n / 2;
    enum page_bisect_probe probe;

    r->tries++;
    probe = s->read(s->ctx, r->first, half);
    if (probe == PAGE_BISECT_SHOWN)
        r->n = half;
    if (probe != PAGE_BISECT_QUIET)
        return probe;
    probe = s->read(s->ctx, r->first + half, r->n - half);
    if (probe == PAGE_BISECT_SHOWN) {
        r->first += half;
        r->n -= half;
    }
    return probe;
}

static enum page_bisect_probe narrow(struct search *s)
{
    enum page_bisect_probe probe = PAGE_BISECT_QUIET;

    for (uint32_t i = 0; i < PAGE_BISECT_TRIES && probe == PAGE_BISECT_QUIET; i++)
        probe = try_halves(s);
    return probe;
}

/* The page, and nothing, in turn. */
static enum page_bisect_end check(struct search *s)
{
    uint32_t shown = 0;

    for (uint32_t i = 0; i < PAGE_BISECT_CHECKS && shown < PAGE_BISECT_SHOWS; i++) {
        enum page_bisect_probe page = s->read(s->ctx, s->found.first, 1);
        enum page_bisect_probe nothing = s->read(s->ctx, s->found.first, 0);

        s->found.tries++;
        if (page == PAGE_BISECT_BREAK || nothing == PAGE_BISECT_BREAK)
            return PAGE_BISECT_BROKEN_OFF;
        if (nothing == PAGE_BISECT_SHOWN)
            return PAGE_BISECT_ELSEWHERE;
        shown += page == PAGE_BISECT_SHOWN;
    }
    return shown == PAGE_BISECT_SHOWS ? PAGE_BISECT_FOUND : PAGE_BISECT_NOT_AGAIN;
}

static enum page_bisect_end search(struct search *s)
{
    while (s->found.n > 1) {
        switch (narrow(s)) {
        case PAGE_BISECT_QUIET: return PAGE_BISECT_NOT_AGAIN;
        case PAGE_BISECT_BREAK: return PAGE_BISECT_BROKEN_OFF;
        case PAGE_BISECT_SHOWN: break;
        }
    }
    return check(s);
}

struct page_bisect_result page_bisect(uint64_t n_pages, page_bisect_read read, void *ctx)
{
    struct search s = { .read = read, .ctx = ctx, .found = { .n = n_pages } };

    s.found.end = search(&s);
    return s.found;
}
