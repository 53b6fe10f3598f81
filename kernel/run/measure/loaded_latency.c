// SPDX-License-Identifier: MIT
#include "measure/parts.h"

#include "lib/fmt.h"
#include "measure/latency.h"
#include "measure/measure.h"
#include "measure/role.h"

#define LOAD_WORDS_MAX 64

struct injection {
    const struct bench *bench;
    uint32_t cpu_node, mem_node;
    uint32_t cpu; /* that chases */
    const uint32_t *load_cpus;
    uint32_t n_load_cpus;
    bool load_is_local;
    struct span chain;
    struct span load_memory;
};

/* The other CPUs of the node, or when there are none those of other nodes. */
static uint32_t find_load_cpus(struct injection *in, uint32_t *ret_cpus)
{
    const struct plan *plan = in->bench->shares->plan;
    uint32_t n = 0;

    for (int local = 1; local >= 0 && !n; local--) {
        in->load_is_local = local;
        for (size_t w = 0; w < plan->n_workers; w++) {
            if (plan->workers[w].cpu != in->cpu &&
                (plan->workers[w].node == in->cpu_node) == in->load_is_local)
                ret_cpus[n++] = plan->workers[w].cpu;
        }
    }
    return n;
}

static void emit(const struct injection *in, enum load_mix mix, struct event_stats ns)
{
    char words[LOAD_WORDS_MAX];
    const char *do_what = mix == LOAD_READS ? "read" : "read and write";
    uint32_t mem = sites_domain(in->mem_node);

    if (in->load_is_local)
        fmt_print(words, sizeof(words), "other CPUs of node %u %s node %u",
                  sites_domain(in->cpu_node), do_what, mem);
    else
        fmt_print(words, sizeof(words), "CPUs of other nodes %s node %u", do_what, mem);
    events_send(&(struct event){
        .type = EVENT_LATENCY,
        .latency = {
            .cpu_node = sites_domain(in->cpu_node),
            .mem_node = sites_domain(in->mem_node),
            .size_bytes = in->chain.size,
            .ns = ns,
            .load = words,
            .mix = load_mix_name(mix),
            .load_mb_s = measure_load_mb_s(),
        },
    });
}

static void measure_level(const struct injection *in, enum load_mix mix, uint32_t level)
{
    uint32_t n = load_mix_arrays(mix);
    uint64_t bytes = sites_load_bytes(in->load_cpus, in->n_load_cpus, in->load_memory.size, n);
    struct arrays load = arrays_in(in->bench, in->load_memory, bytes, n);
    struct event_stats ns;

    if (!load.bytes)
        return;
    roles_clear();
    role_add_chase(in->cpu, in->chain);
    for (uint32_t i = 0; i < in->n_load_cpus; i++)
        role_add_load((struct role_part){ in->load_cpus[i], in->n_load_cpus, i }, mix, &load,
                      load_pause(level));
    ns = measure_ns(in->bench, MEASURE_CHASE_US);
    if (ns.runs)
        emit(in, mix, ns);
}

void loaded_latency_measure(const struct bench *bench)
{
    static uint32_t cpus[SITES_CPUS_MAX];
    struct injection in = { .bench = bench,
                            .cpu_node = sites_first_node(bench),
                            .load_cpus = cpus };
    struct span memory;

    in.mem_node = sites_nearest_memory(bench, in.cpu_node, SITES_NONE);
    if (in.mem_node == SITES_NONE)
        return;
    in.cpu = sites_one_cpu(cpus, sites_cpus(bench, in.cpu_node, cpus));
    in.n_load_cpus = find_load_cpus(&in, cpus);
    if (!in.n_load_cpus)
        return;
    memory = sites_memory(bench, in.mem_node);
    in.load_memory = sites_part(memory, 2, 1);
    in.chain = latency_chain(bench, in.cpu, sites_part(memory, 2, 0));
    for (uint32_t mix = 0; mix < LOAD_MIXES && in.chain.size; mix++) {
        for (uint32_t level = LOAD_LEVELS; level-- > 0 && !measure_is_over();)
            measure_level(&in, mix, level);
    }
}
