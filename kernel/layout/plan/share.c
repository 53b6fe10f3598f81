// SPDX-License-Identifier: MIT
#include "plan/share.h"

#include "arch/paging.h"
#include "event/stop.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "machine/machine.h"
#include "plan/plan.h"

void share_prepare(struct shares *s, struct plan *plan, struct found *found)
{
    size_t runs = footprint_runs(), n_workers = plan->max_workers;

    ASSERT(plan->untested); /* plan_allocate has been called */
    s->plan = plan;
    s->found = found;
    /* Each of a place's spans cuts what is tested. */
    s->tested = arena_alloc_spans(plan->ram.max + 2 * runs);
    s->first = arena_alloc((n_workers + 1) * sizeof(*s->first));
    s->bytes = arena_alloc(n_workers * sizeof(*s->bytes));
    s->max_parts =
        SHARES_PARTS_MAX(machine.nodes.n_spans, s->tested.max, machine.nodes.n_nodes, n_workers);
    s->part = arena_alloc(s->max_parts * sizeof(*s->part));
    s->max_cuts = runs; /* places are rarely scattered */
    s->cuts = s->cuts_end = arena_alloc(s->max_cuts * sizeof(*s->cuts));
    /* All places, or one and what borders of what is tested and another place cut. */
    s->spans = arena_alloc_spans(PLAN_PLACES_SPANS(PLAN_PLACES_MAX + 1) + plan->ram.n);
}

/* Gives each worker its share of this memory. */
static void share_out(struct shares *s, const struct spans *tested)
{
    const struct plan *plan = s->plan;
    const struct shared shared = {
        .nodes = &machine.nodes,
        .slit = &machine.slit,
        .tested = tested,
        .workers = plan->workers,
        .n_workers = plan->n_workers,
    };

    ASSERT(shares_make(&shared, s->part, s->max_parts, s->first) == STATUS_OK);
    for (size_t w = 0; w < plan->n_workers; w++) {
        s->bytes[w] = 0;
        for (size_t p = s->first[w]; p < s->first[w + 1]; p++)
            s->bytes[w] += s->part[p].span.size;
    }
}

void share_rebuild(struct shares *s)
{
    s->cuts_end = s->cuts;
    share_out(s, &s->tested);
}

static void choose_main(struct shares *s)
{
    const struct footprint *place = arena_footprint();

    plan_list_places(&place, 1, &s->spans);
    s->tested.n = 0;
    ASSERT(spans_outside(&s->plan->tested, &s->spans, &s->tested));
}

void share_main(struct shares *s)
{
    choose_main(s);
    share_rebuild(s);
}

void share_vacated(struct shares *s, const struct footprint *const *place, size_t n,
                   const struct spans *also)
{
    plan_list_places(place, n, &s->spans);
    for (size_t i = 0; also && i < also->n; i++)
        ASSERT(spans_add(&s->spans, also->span[i]));
    s->tested.n = 0;
    ASSERT(spans_within(&s->plan->tested, &s->spans, &s->tested));
    share_rebuild(s);
}

static uint64_t kept_or_not(struct span s, enum share_cuts which)
{
    bool is_out = which == SHARE_REST || footprint_holds(arena_footprint(), s.base);

    return is_out ? CUT_LEFT_OUT : CUT_KEPT;
}

enum status share_with_cuts(struct shares *s, const struct footprint *const *cut_at, size_t n,
                            enum share_cuts which)
{
    plan_list_places(cut_at, n, &s->spans);
    if (s->spans.n > s->max_cuts)
        return STATUS_NO_SPACE;
    for (size_t i = 0; i < s->spans.n; i++)
        s->cuts[i] = (struct cut){ s->spans.span[i], kept_or_not(s->spans.span[i], which) };
    s->cuts_end = s->cuts + s->spans.n;
    choose_main(s);
    share_out(s, &s->plan->tested);
    return STATUS_OK;
}

uint64_t share_max_bytes(const struct shares *s)
{
    uint64_t most = 0;

    for (size_t w = 0; w < s->plan->n_workers; w++)
        most = max_u64(most, s->bytes[w]);
    return most;
}

struct slice share_slice(struct span span)
{
    return (struct slice){ direct(span.base), span.base, span.size / LINE_SIZE };
}

/*
 * Takes memory from the beginning of `left`, or down: from its end, of which all is given up or
 * none.
 */
static struct span next_alike(const struct aliases *aliases, struct span *left, bool down,
                              bool *ret_given_up)
{
    uint64_t end = span_end(*left), page = down ? align_down(end - 1, PAGE_SIZE) : left->base;
    bool given_up = aliases_has_page(aliases, page);
    struct span s = *left;

    *ret_given_up = given_up;
    if (down) {
        while (page > left->base && aliases_has_page(aliases, page - PAGE_SIZE) == given_up)
            page -= PAGE_SIZE;
        s.base = max_u64(page, left->base);
        s.size = end - s.base;
    } else {
        do
            page = align_down(page, PAGE_SIZE) + PAGE_SIZE;
        while (page < end && aliases_has_page(aliases, page) == given_up);
        s.size = min_u64(page, end) - s.base;
        left->base += s.size;
    }
    left->size -= s.size;
    return s;
}

static void visit_kept(const struct aliases *aliases, struct span span, bool down,
                       void (*visit)(void *ctx, struct span span), void *ctx)
{
    while (span.size && !stop_is_requested()) {
        bool given_up = false;
        struct span s = span;

        if (aliases_any(aliases))
            s = next_alike(aliases, &span, down, &given_up);
        else
            span.size = 0;
        if (!given_up)
            visit(ctx, s);
    }
}

static void visit_within_cuts(const struct shares *shares, struct span span, bool down,
                              void (*visit)(void *ctx, struct span span), void *ctx)
{
    while (span.size) {
        bool left_out;
        struct span s = cuts_next(shares->cuts, shares->cuts_end, &span, down, &left_out);

        if (!left_out)
            visit_kept(&shares->found->aliases, s, down, visit, ctx);
    }
}

/* Where a part that begins at byte `at` of a share is cut, if the share is cut at byte `offset`. */
static uint64_t cut_in(struct span part, uint64_t at, uint64_t offset)
{
    uint64_t end = span_end(part), border;

    if (offset <= at)
        return part.base;
    if (offset - at >= part.size)
        return end;
    border = align_up(part.base + (offset - at), PAGE_SIZE);
    return min_u64(border, end);
}

void share_walk(const struct shares *s, struct share_piece piece,
                void (*visit)(void *ctx, struct span span), void *ctx)
{
    size_t begin = s->first[piece.worker], n = s->first[piece.worker + 1] - begin;
    uint64_t offset = piece.down ? s->bytes[piece.worker] : 0;

    for (size_t i = 0; i < n; i++) {
        struct span part = s->part[begin + (piece.down ? n - 1 - i : i)].span;
        uint64_t at = piece.down ? offset - part.size : offset;
        uint64_t base = cut_in(part, at, piece.first);
        uint64_t end = cut_in(part, at, piece.first + piece.size);

        visit_within_cuts(s, (struct span){ base, end - base }, piece.down, visit, ctx);
        offset = piece.down ? at : at + part.size;
    }
}

struct span share_longest_kept(const struct shares *shares, struct span s)
{
    const struct aliases *aliases = &shares->found->aliases;
    struct span best = { 0 }, run = { s.base, 0 };

    if (!aliases_any(aliases))
        return s;
    for (uint64_t at = s.base; at < span_end(s);) {
        uint64_t next = align_down(at, PAGE_SIZE) + PAGE_SIZE;
        uint64_t end = min_u64(next, span_end(s));

        run = aliases_has_page(aliases, at) ? (struct span){ end, 0 }
                                            : (struct span){ run.base, end - run.base };
        if (run.size > best.size)
            best = run;
        at = end;
    }
    return best;
}
