// SPDX-License-Identifier: MIT
#include "mce/swept.h"

/* The end of a slice that is being swept. */
#define NOT_YET UINT64_MAX

enum { FREE, CLAIMED, PUT };

uint64_t swept_now(swept_clock *clock)
{
    return atomic_fetch_add(clock, 1) + 1;
}

void swept_begin(struct swept_ring *ring, swept_clock *clock, struct span slice)
{
    uint64_t n = atomic_load(&ring->n);
    struct swept_slice *s = &ring->slice[n % SWEPT_SLICES];

    atomic_store(&s->began, 0);
    atomic_store(&ring->n, n + 1);
    atomic_store(&s->base, slice.base);
    atomic_store(&s->size, slice.size);
    atomic_store(&s->ended, NOT_YET);
    atomic_store(&s->began, swept_now(clock));
}

void swept_end(struct swept_ring *ring, swept_clock *clock)
{
    uint64_t n = atomic_load(&ring->n);

    atomic_store(&ring->slice[(n - 1) % SWEPT_SLICES].ended, swept_now(clock));
}

static void add(struct swept_report *r, struct span span)
{
    struct span *last = r->n ? &r->span[r->n - 1] : NULL;

    if (last && span_end(*last) == span.base) {
        last->size += span.size;
    } else if (last && span_end(span) == last->base) {
        last->base = span.base;
        last->size += span.size;
    } else if (r->n < SWEPT_SPANS_MAX) {
        r->span[r->n++] = span;
    } else {
        r->is_partial = true;
    }
}

/*
 * From the oldest slice on that is still there. Those before it ended before it began: if that was
 * after the window had begun, some of them may be missing. A slice whose beginning changes while it
 * is read has just made room for a new one.
 */
void swept_collect(const struct swept_ring *ring, struct swept_window window,
                   struct swept_report *report)
{
    uint64_t n = atomic_load(&ring->n), first = n > SWEPT_SLICES ? n - SWEPT_SLICES : 0;

    for (uint64_t i = first; i < n; i++) {
        const struct swept_slice *s = &ring->slice[i % SWEPT_SLICES];
        uint64_t began = atomic_load(&s->began), ended = atomic_load(&s->ended);
        struct span span = { atomic_load(&s->base), atomic_load(&s->size) };

        if (!began || atomic_load(&s->began) != began) {
            report->is_partial |= i + 1 < n;
            continue;
        }
        if (i == first && first && began > window.from)
            report->is_partial = true;
        if (began <= window.to && ended >= window.from)
            add(report, span);
    }
}

struct swept_report *swept_reports_claim(struct swept_reports *r)
{
    for (size_t i = 0; i < SWEPT_REPORTS; i++) {
        unsigned state = FREE;

        if (!atomic_compare_exchange_strong(&r->place[i].state, &state, CLAIMED))
            continue;
        r->place[i].report.n = 0;
        r->place[i].report.is_partial = false;
        return &r->place[i].report;
    }
    return NULL;
}

static void set_state(struct swept_reports *r, const struct swept_report *report, unsigned state)
{
    for (size_t i = 0; i < SWEPT_REPORTS; i++) {
        if (&r->place[i].report == report)
            atomic_store(&r->place[i].state, state);
    }
}

void swept_reports_put(struct swept_reports *r, struct swept_report *report)
{
    set_state(r, report, PUT);
}

struct swept_report *swept_reports_take(struct swept_reports *r)
{
    for (size_t i = 0; i < SWEPT_REPORTS; i++) {
        if (atomic_load(&r->place[i].state) == PUT)
            return &r->place[i].report;
    }
    return NULL;
}

void swept_reports_free(struct swept_reports *r, struct swept_report *report)
{
    set_state(r, report, FREE);
}
