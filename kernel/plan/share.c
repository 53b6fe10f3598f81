// SPDX-License-Identifier: MIT
#include "plan/share.h"

#include "arch/paging.h"
#include "firmware/madt.h"
#include "plan/plan.h"
#include "run/progress.h"

static uint16_t worker_of_cpu[MADT_CPUS_MAX + 1];
static uint64_t worker_bytes[MADT_CPUS_MAX + 1];

void share_prepare(void)
{
    for (uint32_t i = 0; i < plan.n_workers; i++) {
        worker_of_cpu[plan.worker_cpus[i]] = (uint16_t)i;
        worker_bytes[i] = 0;
        for (size_t p = plan.first[i]; p < plan.first[i + 1]; p++)
            worker_bytes[i] += plan.part[p].span.size;
    }
}

uint32_t share_worker(uint32_t cpu)
{
    return worker_of_cpu[cpu];
}

uint64_t share_bytes(uint32_t worker)
{
    return worker_bytes[worker];
}

uint64_t share_most_bytes(void)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < plan.n_workers; i++)
        most = worker_bytes[i] > most ? worker_bytes[i] : most;
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
        s.base = page > left->base ? page : left->base;
        s.size = end - s.base;
    } else {
        do
            page = align_down(page, PAGE_SIZE) + PAGE_SIZE;
        while (page < end && aliases_has_page(&aliases, page) == given_up);
        s.size = (page < end ? page : end) - s.base;
        left->base += s.size;
    }
    left->size -= s.size;
    return s;
}

static void visit_kept(struct span span, bool down, void (*visit)(void *ctx, struct span span),
                       void *ctx)
{
    while (span.size && !progress_is_stopped()) {
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

/* Where a part that begins at byte `at` of a share is cut for a cut at byte `offset`. */
static uint64_t cut_in(struct span part, uint64_t at, uint64_t offset)
{
    uint64_t end = span_end(part), border;

    if (offset <= at)
        return part.base;
    if (offset - at >= part.size)
        return end;
    border = align_up(part.base + (offset - at), PAGE_SIZE);
    return border < end ? border : end;
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

        visit_kept((struct span){ base, end - base }, down, visit, ctx);
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
        uint64_t end = next < span_end(s) ? next : span_end(s);

        run = aliases_has_page(&aliases, at) ? (struct span){ end, 0 }
                                             : (struct span){ run.base, end - run.base };
        if (run.size > best.size)
            best = run;
        at = end;
    }
    return best;
}
