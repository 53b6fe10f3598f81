// SPDX-License-Identifier: MIT
#include "measure/matrix.h"

#include "machine/machine.h"
#include "measure/measure.h"
#include "measure/role.h"
#include "measure/sites.h"

static const enum stream_op quick_ops[] = { STREAM_READ, STREAM_WRITE };
static const enum stream_op full_ops[] = {
    STREAM_READ, STREAM_WRITE, STREAM_COPY, STREAM_SCALE, STREAM_ADD, STREAM_TRIAD,
};

/* CPUs of a node and memory of one. */
struct pair {
    const struct bench *bench;
    uint32_t cpu_node, mem_node;
    const uint32_t *cpus;
    uint32_t n_cpus;
};

static struct spread read_mb_s[NODES_MAX][NODES_MAX];
static uint64_t array_bytes[NODES_MAX];

static void measure_op(const struct pair *p, enum stream_op op)
{
    uint32_t n_arrays = stream_op_arrays(op) == 1 ? 1 : 3; /* copy and scale use b or c */
    struct span memory = sites_memory(p->bench, p->mem_node);
    uint64_t bytes = sites_array_bytes(p->cpus, p->n_cpus, memory.size, n_arrays);
    struct arrays arrays = arrays_in(p->bench, memory, bytes, n_arrays);
    struct event_stats s;

    if (!arrays.bytes)
        return;
    roles_clear();
    for (uint32_t i = 0; i < p->n_cpus; i++)
        role_add_stream((struct role_part){ p->cpus[i], p->n_cpus, i }, op, &arrays);
    s = measure_mb_s(p->bench, MEASURE_STREAM_US);
    if (!s.runs)
        return;
    if (op == STREAM_READ && !read_mb_s[p->cpu_node][p->mem_node].n)
        read_mb_s[p->cpu_node][p->mem_node] =
            (struct spread){ s.runs, (float)s.mean, (float)s.stddev };
    if (op == STREAM_READ && arrays.bytes > array_bytes[p->mem_node])
        array_bytes[p->mem_node] = arrays.bytes;
    events_send(&(struct event){
        .type = EVENT_BANDWIDTH,
        .bandwidth = {
            .cpu_node = sites_domain(p->cpu_node),
            .mem_node = sites_domain(p->mem_node),
            .op = stream_op_name(op),
            .threads = p->n_cpus,
            .mb_s = s,
        },
    });
}

static void measure_pair(const struct pair *p, bool full)
{
    const enum stream_op *ops = full ? full_ops : quick_ops;
    size_t n =
        full ? sizeof(full_ops) / sizeof(full_ops[0]) : sizeof(quick_ops) / sizeof(quick_ops[0]);

    for (size_t i = 0; i < n && !measure_is_over(); i++)
        measure_op(p, ops[i]);
}

void matrix_measure(const struct bench *bench, bool full)
{
    static uint32_t cpus[SITES_CPUS_MAX];

    for (uint32_t from = 0; from < machine.nodes.n_nodes; from++) {
        uint32_t n = sites_cpus(bench, from, cpus), one;

        if (!n)
            continue;
        one = sites_one_cpu(cpus, n);
        for (uint32_t to = 0; to < machine.nodes.n_nodes && !measure_is_over(); to++) {
            measure_pair(&(struct pair){ bench, from, to, cpus, n }, full);
            if (full && n > 1)
                measure_pair(&(struct pair){ bench, from, to, &one, 1 }, full);
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
