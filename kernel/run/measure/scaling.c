// SPDX-License-Identifier: MIT
#include "measure/parts.h"

#include "bandwidth/sizing.h"
#include "cpus/survey.h"
#include "machine/machine.h"
#include "measure/measure.h"
#include "measure/role.h"

#define ARRAYS 3 /* of triad */

static const enum stream_op ops[] = {
    STREAM_TRIAD, STREAM_READ, STREAM_WRITE, STREAM_COPY, STREAM_SCALE, STREAM_ADD,
};

/* In this order: siblings are threads of a core of which one is there already. */
enum place { PLACE_CORE, PLACE_EFFICIENT, PLACE_SIBLING, PLACES };

/* By worker: its node, the node whose memory it uses, and its turn in the current order. */
static uint32_t cpu_node[SITES_CPUS_MAX], home[SITES_CPUS_MAX], turn[SITES_CPUS_MAX];
static enum place place[SITES_CPUS_MAX];
static uint32_t n_workers;

static struct arrays arrays[NODES_MAX]; /* by node; shared by all threads there */

static uint32_t core_of(uint32_t cpu)
{
    return machine.cpus[cpu]->apic_id >> survey_of(cpu)->id.thread_bits;
}

static enum place place_of(const struct plan *plan, uint32_t worker)
{
    uint32_t cpu = plan->workers[worker].cpu;

    for (uint32_t w = 0; w < worker; w++) {
        if (core_of(plan->workers[w].cpu) == core_of(cpu))
            return PLACE_SIBLING;
    }
    return survey_of(cpu)->id.kind == CPU_KIND_EFFICIENCY ? PLACE_EFFICIENT : PLACE_CORE;
}

/* Returns the number of nodes that have workers. */
static uint32_t find_homes(const struct bench *bench)
{
    const struct plan *plan = bench->shares->plan;
    uint32_t n_nodes = 0;

    n_workers = (uint32_t)plan->n_workers;
    for (uint32_t w = 0; w < n_workers; w++) {
        uint32_t before = 0;

        cpu_node[w] = plan->workers[w].node;
        home[w] = sites_nearest_memory(bench, cpu_node[w], SITES_NONE);
        place[w] = place_of(plan, w);
        while (cpu_node[before] != cpu_node[w])
            before++;
        n_nodes += before == w;
    }
    return n_nodes;
}

static void place_arrays(const struct bench *bench, uint32_t node)
{
    static uint32_t cpus[SITES_CPUS_MAX];
    struct span memory = sites_memory(bench, node);
    uint32_t n = 0;

    for (uint32_t w = 0; w < n_workers; w++) {
        if (home[w] == node)
            cpus[n++] = bench->shares->plan->workers[w].cpu;
    }
    if (n)
        arrays[node] =
            arrays_in(bench, memory, sites_array_bytes(cpus, n, memory.size, ARRAYS), ARRAYS);
}

/* The first `threads` CPUs of the order share the arrays of each node evenly. */
static void add_roles(const struct bench *bench, enum stream_op op, uint32_t threads)
{
    uint32_t sharing[NODES_MAX] = { 0 }, part[NODES_MAX] = { 0 };

    roles_clear();
    for (uint32_t i = 0; i < threads; i++)
        sharing[home[turn[i]]]++;
    for (uint32_t i = 0; i < threads; i++) {
        uint32_t node = home[turn[i]];

        struct role_part its = {
            .cpu = bench->shares->plan->workers[turn[i]].cpu,
            .n_parts = sharing[node],
            .part = part[node]++,
        };

        role_add_stream(its, op, &arrays[node]);
    }
}

static uint32_t count_places(uint32_t threads, enum place which)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < threads; i++)
        n += place[turn[i]] == which;
    return n;
}

static void measure_step(const struct bench *bench, enum scaling_order order, enum stream_op op,
                         uint32_t threads)
{
    struct event_stats s;

    add_roles(bench, op, threads);
    s = measure_mb_s(bench, MEASURE_STREAM_US);
    if (!s.runs)
        return;
    events_send(&(struct event){
        .type = EVENT_BANDWIDTH,
        .bandwidth = {
            .cpu_node = sites_domain(cpu_node[turn[0]]),
            .mem_node = sites_domain(home[turn[0]]),
            .op = stream_op_name(op),
            .threads = threads,
            .mb_s = s,
            .isa = roles.ops->name,
            .order = scaling_order_name(order),
            .cores = count_places(threads, PLACE_CORE),
            .efficient_cores = count_places(threads, PLACE_EFFICIENT),
            .siblings = count_places(threads, PLACE_SIBLING),
        },
    });
}

/* Appends the workers of a place to turn[], from turn[n] on, in their order. */
static uint32_t add_place(enum scaling_order order, enum place which, uint32_t n)
{
    static uint32_t worker[SITES_CPUS_MAX], node[SITES_CPUS_MAX];
    uint32_t n_there = 0;

    for (uint32_t w = 0; w < n_workers; w++) {
        if (place[w] == which) {
            worker[n_there] = w;
            node[n_there++] = cpu_node[w];
        }
    }
    scaling_order_make(order, node, n_there, turn + n);
    for (uint32_t i = n; i < n + n_there; i++)
        turn[i] = worker[turn[i]];
    return n + n_there;
}

/* Keeps the counts growing, each once. */
static size_t add_count(uint32_t *threads, size_t n, uint32_t count)
{
    size_t at = n;

    while (at > 0 && threads[at - 1] >= count)
        at--;
    if (!count || (at < n && threads[at] == count))
        return n;
    for (size_t i = n; i > at; i--)
        threads[i] = threads[i - 1];
    threads[at] = count;
    return n + 1;
}

static void measure_order(const struct bench *bench, enum scaling_order order)
{
    uint32_t threads[SCALING_COUNTS_MAX + PLACES], n_turns = 0;
    size_t n = scaling_order_counts(n_workers, threads, SCALING_COUNTS_MAX);

    for (enum place p = 0; p < PLACES; p++) {
        n_turns = add_place(order, p, n_turns);
        n = add_count(threads, n, n_turns); /* all of a kind */
    }
    for (size_t op = 0; op < sizeof(ops) / sizeof(ops[0]); op++) {
        for (size_t i = 0; i < n && !measure_is_over(); i++)
            measure_step(bench, order, ops[op], threads[i]);
    }
}

void scaling_measure(const struct bench *bench)
{
    uint32_t n_nodes = find_homes(bench);

    if (home[0] == SITES_NONE)
        return;
    for (uint32_t node = 0; node < machine.nodes.n_nodes; node++)
        place_arrays(bench, node);
    measure_order(bench, SCALING_FILL);
    if (n_nodes > 1)
        measure_order(bench, SCALING_SPREAD);
}
