// SPDX-License-Identifier: MIT
#include "screen/screen_measured.h"

#include "lib/minmax.h"
#include "lib/string.h"

size_t measured_node(const struct measured *m, uint32_t domain)
{
    for (size_t i = 0; i < m->n_nodes && i < NODES_MAX; i++) {
        if (m->node[i] == domain)
            return i;
    }
    return NODES_MAX;
}

static void receive_node(struct measured *m, uint32_t domain)
{
    if (m->n_nodes < NODES_MAX)
        m->node[m->n_nodes] = domain;
    m->n_nodes++;
}

static void receive_cache(struct measured *m, const struct event_cache *c)
{
    if (m->n_caches < MEASURED_CACHES_MAX)
        m->cache[m->n_caches] = (struct measured_cache){ c->level, c->size_bytes, c->mb_s, c->ns };
    m->n_caches++;
}

/* A node of one CPU has one figure, which is that of all its CPUs and of one. */
static void receive_pair(struct measured *m, const struct event_bandwidth *b)
{
    struct measured_rate rate = { b->mb_s.mean, b->mb_s.stddev, b->threads };
    size_t cpu = measured_node(m, b->cpu_node), mem = measured_node(m, b->mem_node);

    if (cpu >= MEASURED_NODES_MAX || mem >= MEASURED_NODES_MAX)
        return;
    for (int op = 0; op < STREAM_OPS; op++) {
        struct measured_rate *all = &m->matrix[op][MEASURED_ALL][cpu][mem];

        if (strcmp(b->op, stream_op_name((enum stream_op)op)) != 0)
            continue;
        if (b->threads == 1)
            m->matrix[op][MEASURED_ONE][cpu][mem] = rate;
        if (b->threads >= all->threads)
            *all = rate;
    }
}

static void receive_step(struct measured *m, const struct event_bandwidth *b)
{
    enum measured_order order = strcmp(b->order, "fill") == 0 ? MEASURED_FILL : MEASURED_SPREAD;
    enum measured_scaling op = strcmp(b->op, "triad") == 0 ? MEASURED_TRIAD : MEASURED_READ;
    struct measured_steps *s = &m->scaling[op][order];

    if (op == MEASURED_READ && strcmp(b->op, "read") != 0)
        return;
    if (s->n < MEASURED_STEPS_MAX)
        s->step[s->n] = (struct measured_rate){ b->mb_s.mean, b->mb_s.stddev, b->threads };
    s->n++;
}

static void insert_point(struct measured *m, struct measured_point p)
{
    size_t kept = min_u64(m->n_curve, MEASURED_CURVE_MAX), at = kept;

    while (at && m->curve[at - 1].size_bytes >= p.size_bytes)
        at--;
    if (at < kept && m->curve[at].size_bytes == p.size_bytes) {
        m->curve[at] = p;
        return;
    }
    m->n_curve++;
    if (at == MEASURED_CURVE_MAX)
        return;
    if (kept == MEASURED_CURVE_MAX)
        kept--;
    memmove(&m->curve[at + 1], &m->curve[at], (kept - at) * sizeof(m->curve[0]));
    m->curve[at] = p;
}

/* The curve's sizes are sent before the matrix, whose one size is well beyond the caches. */
static void receive_idle(struct measured *m, const struct event_latency *l)
{
    size_t cpu = measured_node(m, l->cpu_node), mem = measured_node(m, l->mem_node);

    if (cpu < MEASURED_NODES_MAX && mem < MEASURED_NODES_MAX)
        m->latency_ns[cpu][mem] = l->ns;
    if (!m->n_curve) {
        m->curve_cpu_node = l->cpu_node;
        m->curve_mem_node = l->mem_node;
    }
    if (l->cpu_node == m->curve_cpu_node && l->mem_node == m->curve_mem_node)
        insert_point(m, (struct measured_point){ l->size_bytes, l->ns });
}

static void receive_loaded(struct measured *m, const struct event_latency *l)
{
    struct measured_loads *s =
        &m->loaded[strcmp(l->mix, "reads") == 0 ? MEASURED_READS : MEASURED_2_TO_1];

    m->loaded_cpu_node = l->cpu_node;
    m->loaded_mem_node = l->mem_node;
    if (s->n < MEASURED_LOADS_MAX) {
        s->level[s->n].load_mb_s = l->load_mb_s;
        s->level[s->n].ns = l->ns;
    }
    s->n++;
}

static void receive_contention(struct measured *m, const struct event_contention *c)
{
    if (m->n_contentions < MEASURED_CONTENTIONS_MAX)
        m->contention[m->n_contentions] = (struct measured_contention){
            .cpu_node = c->cpu_node,
            .mem_node = c->mem_node,
            .load_node = c->load_node,
            .idle_mb_s = c->idle.mean,
            .loaded_mb_s = c->loaded.mean,
            .idle_ns = c->idle_ns,
            .loaded_ns = c->loaded_ns,
        };
    m->n_contentions++;
}

/* NULL: there is no room for these nodes. */
static struct measured_redundancy *redundancy_of(struct measured *m,
                                                 const struct event_redundancy *e)
{
    for (size_t i = 0; i < m->n_redundancies && i < MEASURED_REDUNDANCIES_MAX; i++) {
        struct measured_redundancy *r = &m->redundancy[i];

        if (r->cpu_node == e->cpu_node && r->mem_node == e->mem_node &&
            r->other_node == e->other_node)
            return r;
    }
    if (m->n_redundancies >= MEASURED_REDUNDANCIES_MAX) {
        m->n_redundancies += strcmp(e->kind, "plain") == 0; /* the first of each three */
        return NULL;
    }
    m->redundancy[m->n_redundancies] = (struct measured_redundancy){
        .cpu_node = e->cpu_node,
        .mem_node = e->mem_node,
        .other_node = e->other_node,
    };
    return &m->redundancy[m->n_redundancies++];
}

static void receive_redundancy(struct measured *m, const struct event_redundancy *e)
{
    struct measured_redundancy *r = redundancy_of(m, e);

    if (!r)
        return;
    if (strcmp(e->kind, "plain") == 0) {
        r->plain_mb_s = e->mb_s.mean;
    } else if (strcmp(e->kind, "mirror") == 0) {
        r->mirror.mb_s = e->mb_s.mean;
        r->mirror.cost_percent = e->cost_percent;
    } else {
        r->parity.mb_s = e->mb_s.mean;
        r->parity.cost_percent = e->cost_percent;
    }
}

void measured_receive(struct measured *m, const struct event *e)
{
    switch (e->type) {
    case EVENT_NODE: receive_node(m, e->node.node); break;
    case EVENT_CACHE: receive_cache(m, &e->cache); break;
    case EVENT_BANDWIDTH:
        if (e->bandwidth.order)
            receive_step(m, &e->bandwidth);
        else
            receive_pair(m, &e->bandwidth);
        break;
    case EVENT_LATENCY:
        if (e->latency.mix)
            receive_loaded(m, &e->latency);
        else if (strcmp(e->latency.load, "idle") == 0)
            receive_idle(m, &e->latency);
        break;
    case EVENT_CONTENTION: receive_contention(m, &e->contention); break;
    case EVENT_REDUNDANCY: receive_redundancy(m, &e->redundancy); break;
    default: break;
    }
}
