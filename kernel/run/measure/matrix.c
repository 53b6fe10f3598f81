// SPDX-License-Identifier: MIT
#include "measure/matrix.h"

#include "machine/machine.h"
#include "measure/measure.h"
#include "measure/role.h"
#include "measure/sites.h"
#include "measure/unmeasured.h"

static const enum stream_op quick_ops[] = { STREAM_READ, STREAM_WRITE };
static const enum stream_op full_ops[] = {
    STREAM_READ, STREAM_WRITE, STREAM_COPY, STREAM_SCALE, STREAM_ADD, STREAM_TRIAD,
};

/* CPUs of a node and memory of one. */
struct pair {
    uint32_t cpu_node, mem_node;
    const uint32_t *cpus;
    uint32_t n_cpus;
    struct arrays arrays;
};

/* Pairs that are compared. */
struct pairs {
    const struct bench *bench;
    enum stream_op op;
    bool alone; /* by one CPU of each node, and only of those that have others */
    uint32_t n;
    struct pair pair[COMPARED_MAX];
};

_Static_assert(NODES_MAX <= COMPARED_MAX, "a node's row is compared");

static struct spread read_mb_s[NODES_MAX][NODES_MAX];
static uint64_t array_bytes[NODES_MAX];

static void take_pair(void *ctx, uint32_t which)
{
    const struct pairs *all = ctx;
    const struct pair *p = &all->pair[which];

    roles_clear();
    for (uint32_t i = 0; i < p->n_cpus; i++)
        role_add_stream((struct role_part){ p->cpus[i], p->n_cpus, i }, all->op, &p->arrays);
}

static void keep_read(const struct pair *p, const struct event_stats *s)
{
    struct spread *kept = &read_mb_s[p->cpu_node][p->mem_node];

    if (!kept->n)
        *kept = (struct spread){ s->runs, (float)s->mean, (float)s->stddev };
    if (p->arrays.bytes > array_bytes[p->mem_node])
        array_bytes[p->mem_node] = p->arrays.bytes;
}

static void emit(const struct pair *p, enum stream_op op, const struct event_stats *s)
{
    if (!unmeasured_has_runs(s, "bandwidth", p->cpu_node, p->mem_node))
        return;
    if (op == STREAM_READ)
        keep_read(p, s);
    events_send(&(struct event){
        .type = EVENT_BANDWIDTH,
        .bandwidth = {
            .cpu_node = sites_domain(p->cpu_node),
            .mem_node = sites_domain(p->mem_node),
            .op = stream_op_name(op),
            .threads = p->n_cpus,
            .mb_s = *s,
            .how = roles_how(p->arrays.in_caches),
        },
    });
}

/* No pair is left. */
static void measure_pairs(struct pairs *all)
{
    static struct measured found[COMPARED_MAX];

    measure_in_turns(
        all->bench, &(struct comparison){ MEASURE_MB_S, MEASURE_STREAM_US, all->n, take_pair, all },
        found);
    for (uint32_t i = 0; i < all->n; i++)
        emit(&all->pair[i], all->op, &found[i].value);
    all->n = 0;
}

/* The pairs of a node's CPUs with each node's memory. */
static void add_row(struct pairs *all, uint32_t from, const uint32_t *cpus, uint32_t n_cpus)
{
    uint32_t n_arrays = stream_op_arrays(all->op) == 1 ? 1 : 3; /* copy and scale use b or c */

    for (uint32_t to = 0; to < machine.nodes.n_nodes; to++) {
        struct arrays arrays =
            arrays_of_memory(all->bench, cpus, n_cpus, sites_memory(all->bench, to), n_arrays);

        if (arrays.bytes)
            all->pair[all->n++] = (struct pair){ from, to, cpus, n_cpus, arrays };
    }
}

/* As many pairs in turns as can be compared. */
static void measure_op(struct pairs *all)
{
    static uint32_t cpus[SITES_CPUS_MAX], one[NODES_MAX];
    uint32_t n_nodes = machine.nodes.n_nodes, used = 0;

    for (uint32_t from = 0; from < n_nodes; from++) {
        uint32_t *mine = cpus + used, n = sites_cpus(all->bench, from, mine);

        used += n; /* a CPU is of one node */
        if (!n || (all->alone && n == 1))
            continue;
        one[from] = sites_one_cpu(mine, n);
        if (all->n + n_nodes > COMPARED_MAX)
            measure_pairs(all);
        add_row(all, from, all->alone ? &one[from] : mine, all->alone ? 1 : n);
    }
    measure_pairs(all);
}

void matrix_measure(const struct bench *bench, bool full)
{
    static struct pairs all;
    const enum stream_op *ops = full ? full_ops : quick_ops;
    size_t n =
        full ? sizeof(full_ops) / sizeof(full_ops[0]) : sizeof(quick_ops) / sizeof(quick_ops[0]);

    all.bench = bench;
    for (int alone = 0; alone <= (full ? 1 : 0); alone++) {
        for (size_t i = 0; i < n && !measure_is_over(); i++) {
            all.op = ops[i];
            all.alone = alone;
            measure_op(&all);
        }
    }
}

struct spread matrix_read_mb_s(uint32_t cpu_node, uint32_t mem_node)
{
    return read_mb_s[cpu_node][mem_node];
}

uint64_t matrix_array_bytes(uint32_t mem_node)
{
    return array_bytes[mem_node];
}
