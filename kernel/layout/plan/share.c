// SPDX-License-Identifier: MIT
#include "plan/share.h"

#include "acpi/madt.h"
#include "arch/paging.h"
#include "event/stop.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/sort.h"
#include "machine/machine.h"
#include "plan/cuts.h"
#include "plan/plan.h"

static struct pieces others; /* of those that are tested with what okram has left */
/* Where walks are cut. Never NULL: own_aliases.c says what a walk may read. */
static struct cut *cuts, *cuts_end;
static size_t max_cuts;

static uint16_t worker_of_cpu[MADT_CPUS_MAX + 1];
static uint64_t worker_bytes[MADT_CPUS_MAX + 1];

/* Who has which worker's share, and how much that is. */
static void index_workers(void)
{
    for (uint32_t i = 0; i < plan.n_workers; i++) {
        worker_of_cpu[plan.worker_cpus[i]] = (uint16_t)i;
        worker_bytes[i] = 0;
        for (size_t p = plan.first[i]; p < plan.first[i + 1]; p++)
            worker_bytes[i] += plan.part[p].span.size;
    }
}

void share_prepare(void)
{
    /* Borders of what is tested cut a place, and a place cuts another. */
    others.max = plan.ram.n + 3 * footprint_runs();
    others.piece = arena_alloc(others.max * sizeof(*others.piece));
    max_cuts = footprint_runs(); /* places are seldom scattered */
    cuts = cuts_end = arena_alloc(max_cuts * sizeof(*cuts));
}

static void share_out(const struct pieces *pieces)
{
    ASSERT(shares_make(&machine.nodes, pieces, &machine.slit, plan.workers, plan.n_workers,
                       plan.part, plan.max_parts, plan.first) == STATUS_OK);
    index_workers();
}

void share_rebuild(void)
{
    cuts_end = cuts;
    share_out(&plan.pieces);
}

static void choose_main(void)
{
    ASSERT(pieces_outside(&plan.ram, plan.spans, plan_list_place(arena_footprint()),
                          &plan.pieces) == STATUS_OK);
}

void share_main(void)
{
    choose_main();
    share_rebuild();
}

/* Adds what of `also` is outside of the n spans of plan.spans; returns how many they are then. */
static size_t add_others(size_t n, const struct pieces *also)
{
    ASSERT(pieces_outside(also, plan.spans, n, &others) == STATUS_OK);
    for (size_t i = 0; i < others.n; i++)
        plan.spans[n++] = others.piece[i].span;
    return n;
}

void share_vacated(const struct footprint *left, const struct pieces *also)
{
    size_t n = plan_list_place(left);

    if (also)
        n = add_others(n, also);
    plan_list_tested(n, &plan.pieces);
    share_rebuild();
}

void share_places(const struct footprint *const *place, size_t n)
{
    plan_list_tested(plan_list_places(place, n), &plan.pieces);
    share_rebuild();
}

static uint64_t kept_or_not(struct span s, const struct footprint *absent)
{
    bool is_out =
        footprint_holds(arena_footprint(), s.base) || (absent && footprint_holds(absent, s.base));

    return is_out ? CUT_LEFT_OUT : CUT_KEPT;
}

enum status share_with_cuts(const struct footprint *const *cut_at, size_t n,
                            const struct footprint *absent)
{
    size_t n_cuts = plan_list_places(cut_at, n);

    if (n_cuts > max_cuts)
        return STATUS_NO_SPACE;
    sort_spans(plan.spans, n_cuts);
    for (size_t i = 0; i < n_cuts; i++)
        cuts[i] = (struct cut){ plan.spans[i], kept_or_not(plan.spans[i], absent) };
    cuts_end = cuts + n_cuts;
    choose_main();
    share_out(&plan.ram);
    return STATUS_OK;
}

uint32_t share_worker(uint32_t cpu)
{
    return worker_of_cpu[cpu];
}

uint64_t share_bytes(uint32_t worker)
{
    return worker_bytes[worker];
}

uint64_t share_max_bytes(void)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < plan.n_workers; i++)
        most = max_u64(most, worker_bytes[i]);
    return most;
}

struct slice share_slice(struct span span)
{
    return (struct slice){ direct(span.base), span.base, span.size / LINE_SIZE };
}

/* Takes what is at the span's beginning, or down: its end, and is all given up or all not. */
static struct span next_alike(struct span *left, bool down, bool *ret_given_up)
{
    uint64_t end = span_end(*left), page = down ? align_down(end - 1, PAGE_SIZE) : left->base;
    bool given_up = aliases_has_page(&aliases, page);
    struct span s = *left;

    *ret_given_up = given_up;
    if (down) {
        while (page > left->base && aliases_has_page(&aliases, page - PAGE_SIZE) == given_up)
            page -= PAGE_SIZE;
        s.base = max_u64(page, left->base);
        s.size = end - s.base;
    } else {
        do
            page = align_down(page, PAGE_SIZE) + PAGE_SIZE;
        while (page < end && aliases_has_page(&aliases, page) == given_up);
        s.size = min_u64(page, end) - s.base;
        left->base += s.size;
    }
    left->size -= s.size;
    return s;
}

static void visit_kept(struct span span, bool down, void (*visit)(void *ctx, struct span span),
                       void *ctx)
{
    while (span.size && !stop_is_requested()) {
        bool given_up = false;
        struct span s = span;

        if (aliases_any(&aliases))
            s = next_alike(&span, down, &given_up);
        else
            span.size = 0;
        if (!given_up)
            visit(ctx, s);
    }
}

static void visit_within_cuts(struct span span, bool down,
                              void (*visit)(void *ctx, struct span span), void *ctx)
{
    while (span.size) {
        bool left_out;
        struct span s = cuts_next(cuts, cuts_end, &span, down, &left_out);

        if (!left_out)
            visit_kept(s, down, visit, ctx);
    }
}

/* Where a part that begins at byte `at` of a share is cut for a cut at byte `offset`. */
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

void share_walk(uint32_t worker, uint64_t first, uint64_t size, bool down,
                void (*visit)(void *ctx, struct span span), void *ctx)
{
    size_t begin = plan.first[worker], n = plan.first[worker + 1] - begin;
    uint64_t offset = down ? worker_bytes[worker] : 0;

    for (size_t i = 0; i < n; i++) {
        struct span part = plan.part[begin + (down ? n - 1 - i : i)].span;
        uint64_t at = down ? offset - part.size : offset;
        uint64_t base = cut_in(part, at, first), end = cut_in(part, at, first + size);

        visit_within_cuts((struct span){ base, end - base }, down, visit, ctx);
        offset = down ? at : at + part.size;
    }
}

struct span share_longest_kept(struct span s)
{
    struct span best = { 0 }, run = { s.base, 0 };

    if (!aliases_any(&aliases))
        return s;
    for (uint64_t at = s.base; at < span_end(s);) {
        uint64_t next = align_down(at, PAGE_SIZE) + PAGE_SIZE;
        uint64_t end = min_u64(next, span_end(s));

        run = aliases_has_page(&aliases, at) ? (struct span){ end, 0 }
                                             : (struct span){ run.base, end - run.base };
        if (run.size > best.size)
            best = run;
        at = end;
    }
    return best;
}
