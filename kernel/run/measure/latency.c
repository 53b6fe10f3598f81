// SPDX-License-Identifier: MIT
#include "measure/latency.h"

#include "arch/paging.h"
#include "bandwidth/sizing.h"
#include "machine/machine.h"
#include "measure/measure.h"
#include "measure/role.h"
#include "measure/sites.h"

struct span latency_chain(const struct bench *bench, uint32_t cpu, struct span memory)
{
    struct span chain = arrays_chain_in(bench, memory, sites_array_bytes(&cpu, 1, memory.size, 1));

    if (chain.size && !measure_build_chain(bench, cpu, chain, CHASE_EVERY_LINE))
        chain.size = 0;
    return chain;
}

static struct event_stats chase_ns(const struct bench *bench, uint32_t cpu, struct span chain)
{
    void *cursor = direct(chain.base);

    roles_clear();
    role_add_chase(cpu, &cursor);
    return measure_ns(bench, MEASURE_CHASE_US);
}

static void emit(uint32_t cpu_node, uint32_t mem_node, struct span chain, struct event_stats ns,
                 bool in_caches)
{
    if (!unmeasured_has_runs(&ns, "latency", cpu_node, mem_node))
        return;
    events_send(&(struct event){
        .type = EVENT_LATENCY,
        .latency = {
            .cpu_node = sites_domain(cpu_node),
            .mem_node = sites_domain(mem_node),
            .size_bytes = chain.size,
            .ns = ns,
            .load = "idle",
            .how = { .prefetch = roles.prefetch, .in_caches = in_caches },
        },
    });
}

struct event_stats latency_memory_ns(const struct bench *bench, uint32_t cpu, uint32_t mem_node,
                                     struct span *ret_chain)
{
    struct event_stats ns = { 0 };

    *ret_chain = latency_chain(bench, cpu, sites_memory(bench, mem_node));
    if (ret_chain->size)
        ns = chase_ns(bench, cpu, *ret_chain);
    return ns;
}

void latency_curve(const struct bench *bench)
{
    static uint32_t cpus[SITES_CPUS_MAX];
    static uint64_t sizes[CURVE_SIZES_MAX];
    uint32_t node = sites_first_node(bench),
             mem_node = sites_nearest_memory(bench, node, SITES_NONE);
    uint32_t cpu = sites_one_cpu(cpus, sites_cpus(bench, node, cpus));
    struct span memory;
    uint64_t end;
    size_t n;

    if (mem_node == SITES_NONE)
        return;
    memory = sites_memory(bench, mem_node);
    end = sites_array_bytes(&cpu, 1, memory.size, 1);
    n = curve_sizes(end, sizes, CURVE_SIZES_MAX);
    for (size_t i = 0; i < n && sizes[i] < end && !measure_is_over(); i++) {
        struct span chain = arrays_chain_in(bench, memory, sizes[i]);

        if (!chain.size)
            return;
        if (measure_build_chain(bench, cpu, chain, CHASE_EVERY_LINE))
            emit(node, mem_node, chain, chase_ns(bench, cpu, chain), false);
    }
}

/* A CPU of one node, and a chain in each node with memory. */
struct chases {
    const struct bench *bench;
    uint32_t cpu, cpu_node, n;
    uint32_t mem_node[NODES_MAX];
    struct span chain[NODES_MAX];
    void *cursor[NODES_MAX];
};

static void take_chase(void *ctx, uint32_t which)
{
    struct chases *c = ctx;

    roles_clear();
    role_add_chase(c->cpu, &c->cursor[which]);
}

static void build_chains(struct chases *c)
{
    for (uint32_t to = 0; to < machine.nodes.n_nodes && !measure_is_over(); to++) {
        struct span memory = sites_memory(c->bench, to);
        struct span chain = latency_chain(c->bench, c->cpu, memory);

        if (memory.size && !chain.size)
            unmeasured_send("latency", c->cpu_node, to, FAULTY_CHAIN);
        if (!chain.size)
            continue;
        c->mem_node[c->n] = to;
        c->chain[c->n] = chain;
        c->cursor[c->n++] = direct(chain.base);
    }
}

static void measure_row(struct chases *c)
{
    static struct measured found[NODES_MAX];

    c->n = 0;
    build_chains(c);
    measure_in_turns(
        c->bench, &(struct comparison){ MEASURE_NS, MEASURE_CHASE_US, c->n, take_chase, c }, found);
    for (uint32_t i = 0; i < c->n; i++) {
        emit(c->cpu_node, c->mem_node[i], c->chain[i], found[i].value,
             sites_in_caches(&c->cpu, 1, c->chain[i].size));
    }
}

void latency_matrix(const struct bench *bench)
{
    static uint32_t cpus[SITES_CPUS_MAX];
    static struct chases c;

    c.bench = bench;
    for (c.cpu_node = 0; c.cpu_node < machine.nodes.n_nodes; c.cpu_node++) {
        uint32_t n = sites_cpus(bench, c.cpu_node, cpus);

        if (!n || measure_is_over())
            continue;
        c.cpu = sites_one_cpu(cpus, n);
        measure_row(&c);
    }
}
