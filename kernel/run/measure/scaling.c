// SPDX-License-Identifier: MIT
#include "measure/parts.h"

#include "bandwidth/sizing.h"
#include "cpus/survey.h"
#include "machine/machine.h"
#include "measure/measure.h"
#include "measure/role.h"

#define ARRAYS 3 /* of triad */

_Static_assert(SCALING_COUNTS_MAX <= COMPARED_MAX, "a row is one comparison");

static const enum stream_op ops[] = {
    STREAM_TRIAD, STREAM_READ, STREAM_WRITE, STREAM_COPY, STREAM_SCALE, STREAM_ADD,
};

/* A row: how many of the CPUs do what. */
struct team {
    const struct bench *bench;
    enum scaling_order order;
    enum stream_op op;
    uint32_t n_counts, threads[SCALING_COUNTS_MAX];
};

static struct scaling_cpu cpus[SITES_CPUS_MAX]; /* by workers, in the order of the row */
static uint32_t home[SITES_CPUS_MAX];           /* by worker: the node whose memory it uses */
static uint32_t n_workers;

static struct arrays arrays[NODES_MAX]; /* by node; shared by all threads there */

static uint32_t core_of(uint32_t cpu)
{
    return machine.cpus[cpu]->apic_id >> survey_of(cpu)->id.thread_bits;
}

/* Returns the number of nodes that have workers. */
static uint32_t find_homes(const struct bench *bench)
{
    const struct plan *plan = bench->shares->plan;
    uint32_t n_nodes = 0;

    n_workers = (uint32_t)plan->n_workers;
    for (uint32_t w = 0; w < n_workers; w++) {
        uint32_t before = 0;

        home[w] = sites_nearest_memory(bench, plan->workers[w].node, SITES_NONE);
        while (plan->workers[before].node != plan->workers[w].node)
            before++;
        n_nodes += before == w;
    }
    return n_nodes;
}

static void place_arrays(const struct bench *bench, uint32_t node)
{
    static uint32_t its[SITES_CPUS_MAX];
    struct span memory = sites_memory(bench, node);
    uint32_t n = 0;

    for (uint32_t w = 0; w < n_workers; w++) {
        if (home[w] == node)
            its[n++] = bench->shares->plan->workers[w].cpu;
    }
    if (n)
        arrays[node] = arrays_of_memory(bench, its, n, memory, ARRAYS);
}

/* The first CPUs of the team, up to that count, share the arrays of each node evenly. */
static void take_roles(void *ctx, uint32_t which)
{
    const struct team *team = ctx;
    uint32_t sharing[NODES_MAX] = { 0 }, part[NODES_MAX] = { 0 }, threads = team->threads[which];

    roles_clear();
    for (uint32_t i = 0; i < threads; i++)
        sharing[home[cpus[i].index]]++;
    for (uint32_t i = 0; i < threads; i++) {
        uint32_t node = home[cpus[i].index];

        struct role_part its = {
            .cpu = team->bench->shares->plan->workers[cpus[i].index].cpu,
            .n_parts = sharing[node],
            .part = part[node]++,
        };

        role_add_stream(its, team->op, &arrays[node]);
    }
}

static void send(const struct team *team, uint32_t threads, struct event_stats mb_s)
{
    uint32_t n_at[SCALING_PLACES] = { 0 };

    for (uint32_t i = 0; i < threads; i++)
        n_at[cpus[i].place]++;
    events_send(&(struct event){
        .type = EVENT_BANDWIDTH,
        .bandwidth = {
            .cpu_node = sites_domain(cpus[0].node),
            .mem_node = sites_domain(home[cpus[0].index]),
            .op = stream_op_name(team->op),
            .threads = threads,
            .mb_s = mb_s,
            .how = roles_how(arrays[home[cpus[0].index]].in_caches),
            .order = scaling_order_name(team->order),
            .cores = n_at[SCALING_CORE],
            .efficient_cores = n_at[SCALING_EFFICIENT_CORE],
            .siblings = n_at[SCALING_SIBLING],
        },
    });
}

/* All counts in turns: a row is a comparison. */
static void measure_row(struct team *team, enum stream_op op)
{
    static struct measured row[SCALING_COUNTS_MAX];
    const struct comparison counts = { .unit = MEASURE_MB_S,
                                       .run_us = MEASURE_STREAM_US,
                                       .n = team->n_counts,
                                       .take_roles = take_roles,
                                       .ctx = team };

    team->op = op;
    measure_in_turns(team->bench, &counts, row);
    for (uint32_t i = 0; i < team->n_counts; i++) {
        if (unmeasured_has_runs(&row[i].value, "scaling", cpus[0].node, home[cpus[0].index]))
            send(team, team->threads[i], row[i].value);
    }
}

static void measure_order(const struct bench *bench, enum scaling_order order)
{
    const struct plan *plan = bench->shares->plan;
    struct team team = { .bench = bench, .order = order };
    uint32_t n;

    for (uint32_t w = 0; w < n_workers; w++) {
        uint32_t cpu = plan->workers[w].cpu;
        bool is_efficient = survey_of(cpu)->id.kind == CPU_KIND_EFFICIENCY;

        cpus[w] =
            (struct scaling_cpu){ w, plan->workers[w].node, core_of(cpu), is_efficient, 0, 0 };
    }
    n = scaling_order_make(order, cpus, n_workers);
    if (!n)
        return;
    team.n_counts = (uint32_t)scaling_order_counts(cpus, n, team.threads);
    for (size_t op = 0; op < sizeof(ops) / sizeof(ops[0]) && !measure_is_over(); op++)
        measure_row(&team, ops[op]);
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
    measure_order(bench, SCALING_EFFICIENT);
}
