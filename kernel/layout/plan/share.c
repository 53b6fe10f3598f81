// SPDX-License-Identifier: MIT
#include "plan/share.h"

#include "acpi/srat.h"
#include "arch/paging.h"
#include "event/stop.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/sort.h"
#include "machine/machine.h"
#include "memory/nodes.h"
#include "plan/plan.h"

/*
 * Who tests what: each CPU gets a share of its own node's memory, in proportion to its speed, so
 * that all need the same time. A CPU whose node has no memory helps the nearest node that has;
 * memory of a node without workers of its own is shared by all.
 */

/* What is shared, and among whom. */
struct shared {
    const struct node_map *nodes;
    const struct slit *slit;
    const struct spans *tested;
    const struct worker *workers;
    size_t n_workers;
};

/* A node's spans and what is tested cut each other, and each worker cuts once a node. */
#define SHARES_PARTS_MAX(n_spans, n_tested, n_nodes, n_workers)                                    \
    ((n_spans) + (n_tested) + (n_nodes) * ((n_workers) + 1))

/* Shares meet at page borders, so that two CPUs never write to one page. */
#define CUT_BYTES PAGE_SIZE

/* The tested memory of a node, span by span: false at the end. *at starts at { 0 }. */
struct node_walk {
    size_t span, tested;
};

static bool next_of_node(const struct node_map *nodes, const struct spans *tested, uint32_t node,
                         struct node_walk *at, struct span *ret)
{
    const struct node *n = &nodes->node[node];

    for (; at->span < n->n_spans; at->span++, at->tested = 0) {
        struct span s = nodes->span[n->first_span + at->span];

        while (at->tested < tested->n) {
            *ret = span_intersect(s, tested->span[at->tested++]);
            if (ret->size)
                return true;
        }
    }
    return false;
}

static uint64_t node_tested_bytes(const struct node_map *nodes, const struct spans *tested,
                                  uint32_t node)
{
    struct node_walk at = { 0 };
    uint64_t bytes = 0;
    struct span s;

    while (next_of_node(nodes, tested, node, &at, &s))
        bytes += s.size;
    return bytes;
}

/* The node whose memory a CPU of `node` works on: its own, or the nearest that has any. */
static uint32_t home(const struct node_map *nodes, const struct spans *tested,
                     const struct slit *slit, uint32_t node)
{
    uint32_t best = node, best_distance = UINT32_MAX;

    if (node_tested_bytes(nodes, tested, node))
        return node;
    for (uint32_t n = 0; n < nodes->n_nodes; n++) {
        uint32_t distance = slit_distance(slit, nodes->node[node].domain, nodes->node[n].domain);

        if (distance < best_distance && node_tested_bytes(nodes, tested, n)) {
            best = n;
            best_distance = distance;
        }
    }
    return best;
}

struct sharing {
    struct share_part *part;
    size_t n, max;
};

static void add_part(struct sharing *s, uint32_t worker, struct span span)
{
    ASSERT(s->n < s->max);
    s->part[s->n++] = (struct share_part){ worker, span };
}

/* Where the first k/n of `bytes` end. */
static uint64_t cut(uint64_t bytes, uint64_t k, uint64_t n)
{
    ASSERT(k <= n);
    return k == n ? bytes : align_down(bytes / n * k + bytes % n * k / n, CUT_BYTES);
}

static uint64_t speed_of(const struct worker *w)
{
    return w->speed ? w->speed : WORKER_FULL_SPEED;
}

/* Gives a node's memory to those workers that are its own, or to all. */
static void share_node(const struct shared *of, uint32_t node, const uint32_t *homes,
                       struct sharing *out)
{
    uint64_t total = node_tested_bytes(of->nodes, of->tested, node), done = 0, speeds = 0, upto;
    const struct worker *workers = of->workers;
    struct node_walk at = { 0 };
    bool all = true;
    size_t w = 0;
    struct span s;

    for (size_t i = 0; i < of->n_workers; i++)
        all = all && homes[workers[i].node] != node;
    for (size_t i = 0; i < of->n_workers; i++)
        speeds += all || homes[workers[i].node] == node ? speed_of(&workers[i]) : 0;
    while (!all && homes[workers[w].node] != node)
        w++;
    upto = speed_of(&workers[w]);
    while (next_of_node(of->nodes, of->tested, node, &at, &s)) {
        while (s.size) {
            uint64_t left = cut(total, upto, speeds) - done;
            uint64_t now = min_u64(s.size, left);

            /* A cut is a page border of memory, too, unless tested memory begins within a page. */
            if (now < s.size)
                now = align_up(s.base + now, CUT_BYTES) - s.base;
            if (now > s.size)
                now = s.size;
            if (now) {
                add_part(out, (uint32_t)w, (struct span){ s.base, now });
                s.base += now;
                s.size -= now;
                done += now;
            }
            while (upto < speeds && done >= cut(total, upto, speeds)) {
                do
                    w++;
                while (!all && homes[workers[w].node] != node);
                upto += speed_of(&workers[w]);
            }
        }
    }
}

static bool comes_before(const void *ctx, const void *a, const void *b)
{
    const struct share_part *p = a, *q = b;

    return p->worker < q->worker || (p->worker == q->worker && p->span.base < q->span.base);
}

/*
 * Cuts all that is tested into parts, sorted by worker, then by address: worker w's are from
 * part[first[w]] to part[first[w + 1] - 1]. first has n_workers + 1 entries. Every tested byte is
 * in exactly one part. max: SHARES_PARTS_MAX is always enough. STATUS_NOT_FOUND: there are no
 * workers.
 */
static enum status shares_make(const struct shared *of, struct share_part *part, size_t max,
                               size_t *first)
{
    struct sharing out = { .part = part, .max = max };
    uint32_t homes[NODES_MAX]; /* by node */
    size_t p = 0;

    if (!of->n_workers)
        return STATUS_NOT_FOUND;
    for (uint32_t n = 0; n < of->nodes->n_nodes; n++)
        homes[n] = home(of->nodes, of->tested, of->slit, n);
    for (uint32_t n = 0; n < of->nodes->n_nodes; n++)
        share_node(of, n, homes, &out);
    sort(out.part, out.n, sizeof(*out.part), comes_before, NULL);
    for (size_t w = 0; w <= of->n_workers; w++) {
        while (p < out.n && out.part[p].worker < w)
            p++;
        first[w] = p;
    }
    return STATUS_OK;
}

/* The first cut that ends after an address. */
static const struct cut *cut_after(const struct cut *first, const struct cut *past, uint64_t phys)
{
    while (first < past) {
        const struct cut *middle = first + (past - first) / 2;

        if (span_end(middle->span) <= phys)
            first = middle + 1;
        else
            past = middle;
    }
    return first;
}

/*
 * Takes memory from the beginning of `left`, or down: from its end, as far as it is in one cut, or
 * in none. left is not empty. first to past - 1: the cuts, disjoint, by address.
 */
static struct span cuts_next(const struct cut *first, const struct cut *past, struct span *left,
                             bool down, bool *ret_left_out)
{
    uint64_t end = span_end(*left);
    const struct cut *c = cut_after(first, past, down ? end - 1 : left->base);
    struct span s = *left;

    *ret_left_out = false;
    if (c < past && span_contains(c->span, down ? end - 1 : s.base)) {
        s = span_intersect(s, c->span);
        *ret_left_out = c->state == CUT_LEFT_OUT;
    } else if (down && c > first) {
        s.base = max_u64(s.base, span_end(c[-1].span));
        s.size = end - s.base;
    } else if (!down && c < past) {
        s.size = min_u64(end, c->span.base) - s.base;
    }
    if (!down)
        left->base += s.size;
    left->size -= s.size;
    return s;
}

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
