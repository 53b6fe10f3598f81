// SPDX-License-Identifier: MIT
#include "measure/parts.h"

#include "arch/paging.h"
#include "machine/machine.h"
#include "measure/latency.h"
#include "measure/measure.h"
#include "measure/role.h"

static const enum load_mix load_mixes[] = { LOAD_READS, LOAD_WRITES, LOAD_2_TO_1 };

/* In turns: without a load, and with each. */
#define IDLE    0
#define N_SIDES (1 + sizeof(load_mixes) / sizeof(load_mixes[0]))

/* The nodes of one measurement; memory is cut in a half to measure and one to load. */
struct contest {
    const struct bench *bench;
    uint32_t cpu_node, mem_node, load_node, load_mem_node;
    const uint32_t *cpus, *load_cpus;
    uint32_t n_cpus, n_load_cpus;
    struct arrays array, load;
    uint64_t chain_bytes;
    struct measured read[N_SIDES], write[N_SIDES], latency[N_SIDES];
};

static void take_load(void *ctx, uint32_t side)
{
    (void)ctx;
    roles_load(side == IDLE ? NULL : &(struct load){ load_mixes[side - 1], 0 });
}

/* The roles that measure are there. */
static void measure_sides(const struct contest *c, struct comparison how, struct measured *found)
{
    how.n = N_SIDES;
    how.take_roles = take_load;
    for (uint32_t i = 0; i < c->n_load_cpus; i++)
        role_add_load((struct role_part){ c->load_cpus[i], c->n_load_cpus, i }, &c->load);
    measure_in_turns(c->bench, &how, found);
}

static void measure_op(const struct contest *c, enum stream_op op, struct measured *found)
{
    roles_clear();
    for (uint32_t i = 0; i < c->n_cpus; i++)
        role_add_stream((struct role_part){ c->cpus[i], c->n_cpus, i }, op, &c->array);
    measure_sides(c, (struct comparison){ .unit = MEASURE_MB_S, .run_us = MEASURE_STREAM_US },
                  found);
}

static void measure_latency(struct contest *c)
{
    uint32_t cpu = sites_one_cpu(c->cpus, c->n_cpus);
    struct span chain =
        latency_chain(c->bench, cpu, sites_half(sites_memory(c->bench, c->mem_node), 0));
    void *cursor = direct(chain.base);

    c->chain_bytes = chain.size;
    for (uint32_t side = 0; side < N_SIDES; side++)
        c->latency[side] = (struct measured){ 0 };
    if (!chain.size)
        return;
    roles_clear();
    role_add_chase(cpu, &cursor);
    measure_sides(c, (struct comparison){ .unit = MEASURE_NS, .run_us = MEASURE_CHASE_US },
                  c->latency);
}

static struct event_contest contest_of(const struct measured *found, uint32_t side)
{
    return (struct event_contest){ found[IDLE].value, found[side].value, found[side].longer };
}

static void emit(const struct contest *c, uint32_t side)
{
    events_send(&(struct event){
        .type = EVENT_CONTENTION,
        .contention = {
            .cpu_node = sites_domain(c->cpu_node),
            .mem_node = sites_domain(c->mem_node),
            .load_node = sites_domain(c->load_node),
            .load_mem_node = sites_domain(c->load_mem_node),
            .load = load_mix_name(load_mixes[side - 1]),
            .threads = c->n_cpus,
            .load_threads = c->n_load_cpus,
            .read_mb_s = contest_of(c->read, side),
            .write_mb_s = contest_of(c->write, side),
            .ns = contest_of(c->latency, side),
            .how = roles_how(c->array.in_caches),
        },
    });
}

/* The nodes and CPUs of c are set. */
static void measure_contest(struct contest *c)
{
    struct span mine = sites_half(sites_memory(c->bench, c->mem_node), 0),
                theirs = sites_half(sites_memory(c->bench, c->load_mem_node), 1);
    uint64_t load_bytes = sites_load_bytes(c->load_cpus, c->n_load_cpus, theirs.size);

    c->array = arrays_of_memory(c->bench, c->cpus, c->n_cpus, mine, 1);
    c->load = arrays_in(c->bench, theirs, load_bytes, 3);
    if (!c->array.bytes || !c->load.bytes)
        return;
    measure_op(c, STREAM_READ, c->read);
    measure_op(c, STREAM_WRITE, c->write);
    measure_latency(c);
    if (!unmeasured_has_runs(&c->read[IDLE].value, "contention", c->cpu_node, c->mem_node))
        return;
    for (uint32_t side = IDLE + 1; side < N_SIDES && !measure_is_over(); side++)
        emit(c, side);
}

/* CPUs of both nodes on the memory of one of them or of a node without CPUs; each on its own. */
static void measure_contests(struct contest *c)
{
    static uint32_t cpus[SITES_CPUS_MAX];

    for (uint32_t mem = 0; mem < machine.nodes.n_nodes && !measure_is_over(); mem++) {
        if (mem != c->cpu_node && mem != c->load_node && sites_cpus(c->bench, mem, cpus))
            continue;
        c->mem_node = c->load_mem_node = mem;
        measure_contest(c);
    }
    c->mem_node = c->cpu_node;
    c->load_mem_node = c->load_node;
    if (!measure_is_over())
        measure_contest(c);
}

void contention_measure(const struct bench *bench)
{
    static uint32_t cpus[SITES_CPUS_MAX], load_cpus[SITES_CPUS_MAX];
    static struct contest c;
    uint32_t n_nodes = machine.nodes.n_nodes, n_with_cpus = 0;

    for (uint32_t node = 0; node < n_nodes; node++)
        n_with_cpus += sites_cpus(bench, node, cpus) > 0;
    if (n_with_cpus < 2)
        unmeasured_send("contention", SITES_NONE, SITES_NONE, "CPUs of one node alone are in use");
    c = (struct contest){ .bench = bench, .cpus = cpus, .load_cpus = load_cpus };
    for (c.cpu_node = 0; c.cpu_node < n_nodes; c.cpu_node++) {
        c.n_cpus = sites_cpus(bench, c.cpu_node, cpus);
        for (c.load_node = 0; c.n_cpus && c.load_node < n_nodes; c.load_node++) {
            c.n_load_cpus = sites_cpus(bench, c.load_node, load_cpus);
            if (c.cpu_node != c.load_node && c.n_load_cpus && !measure_is_over())
                measure_contests(&c);
        }
    }
}
