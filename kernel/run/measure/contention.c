// SPDX-License-Identifier: MIT
#include "measure/parts.h"

#include "lib/fmt.h"
#include "machine/machine.h"
#include "measure/latency.h"
#include "measure/measure.h"
#include "measure/role.h"

#define LOAD_WORDS_MAX 64

/* The nodes of one measurement; the memory is cut in a half to measure and one to load. */
struct contest {
    const struct bench *bench;
    uint32_t cpu_node, mem_node, load_node;
    const uint32_t *cpus, *load_cpus;
    uint32_t n_cpus, n_load_cpus;
    struct arrays array, load;
    struct span chain;
};

static void add_load(const struct contest *c)
{
    for (uint32_t i = 0; i < c->n_load_cpus; i++)
        role_add_load((struct role_part){ c->load_cpus[i], c->n_load_cpus, i }, LOAD_READS,
                      &c->load, 0);
}

static struct event_stats read_mb_s(const struct contest *c, bool loaded)
{
    roles_clear();
    for (uint32_t i = 0; i < c->n_cpus; i++)
        role_add_stream((struct role_part){ c->cpus[i], c->n_cpus, i }, STREAM_READ, &c->array);
    if (loaded)
        add_load(c);
    return measure_mb_s(c->bench, MEASURE_STREAM_US);
}

static struct event_stats chase_ns(const struct contest *c, bool loaded)
{
    if (!c->chain.size)
        return (struct event_stats){ 0 };
    roles_clear();
    role_add_chase(sites_one_cpu(c->cpus, c->n_cpus), c->chain);
    if (loaded)
        add_load(c);
    return measure_ns(c->bench, MEASURE_CHASE_US);
}

static void emit_latency(const struct contest *c, struct event_stats ns)
{
    char words[LOAD_WORDS_MAX];

    if (!ns.runs)
        return;
    fmt_print(words, sizeof(words), "CPUs of node %u read node %u", sites_domain(c->load_node),
              sites_domain(c->mem_node));
    events_send(&(struct event){
        .type = EVENT_LATENCY,
        .latency = {
            .cpu_node = sites_domain(c->cpu_node),
            .mem_node = sites_domain(c->mem_node),
            .size_bytes = c->chain.size,
            .ns = ns,
            .load = words,
        },
    });
}

static void measure_contest(struct contest *c)
{
    struct event_stats idle = read_mb_s(c, false), loaded = read_mb_s(c, true);
    struct event_stats idle_ns, loaded_ns;

    c->chain = latency_chain(c->bench, sites_one_cpu(c->cpus, c->n_cpus),
                             sites_part(sites_memory(c->bench, c->mem_node), 2, 0));
    idle_ns = chase_ns(c, false);
    loaded_ns = chase_ns(c, true);
    if (measure_is_over())
        return;
    events_send(&(struct event){
        .type = EVENT_CONTENTION,
        .contention = {
            .cpu_node = sites_domain(c->cpu_node),
            .mem_node = sites_domain(c->mem_node),
            .load_node = sites_domain(c->load_node),
            .threads = c->n_cpus,
            .load_threads = c->n_load_cpus,
            .idle_mb_s = idle,
            .loaded_mb_s = loaded,
            .idle_ns = idle_ns,
            .loaded_ns = loaded_ns,
        },
    });
    emit_latency(c, loaded_ns);
}

/* The nodes and CPUs of c are set. */
static void contend_for(struct contest *c, uint32_t mem_node)
{
    struct span memory = sites_memory(c->bench, mem_node), mine = sites_part(memory, 2, 0),
                theirs = sites_part(memory, 2, 1);
    uint64_t bytes = sites_array_bytes(c->cpus, c->n_cpus, mine.size, 1);
    uint64_t load_bytes = sites_load_bytes(c->load_cpus, c->n_load_cpus, theirs.size, 1);

    c->mem_node = mem_node;
    c->array = arrays_in(c->bench, mine, bytes, 1);
    c->load = arrays_in(c->bench, theirs, load_bytes, 1);
    if (c->array.bytes && c->load.bytes && !measure_is_over())
        measure_contest(c);
}

void contention_measure(const struct bench *bench)
{
    static uint32_t cpus[SITES_CPUS_MAX], load_cpus[SITES_CPUS_MAX];
    uint32_t n_nodes = machine.nodes.n_nodes;

    for (uint32_t a = 0; a < n_nodes; a++) {
        struct contest c = { .bench = bench, .cpu_node = a, .cpus = cpus, .load_cpus = load_cpus };

        c.n_cpus = sites_cpus(bench, a, cpus);
        for (uint32_t b = 0; c.n_cpus && b < n_nodes && !measure_is_over(); b++) {
            c.load_node = b;
            c.n_load_cpus = sites_cpus(bench, b, load_cpus);
            if (a == b || !c.n_load_cpus)
                continue;
            contend_for(&c, a);
            contend_for(&c, b);
        }
    }
}
