// SPDX-License-Identifier: MIT
#include "plan/shares.h"

#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/sort.h"

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

enum status shares_make(const struct shared *of, struct share_part *part, size_t max, size_t *first)
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

struct span cuts_next(const struct cut *first, const struct cut *past, struct span *left, bool down,
                      bool *ret_left_out)
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
