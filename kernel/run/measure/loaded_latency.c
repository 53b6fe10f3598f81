// SPDX-License-Identifier: MIT
#include "measure/parts.h"

#include "arch/paging.h"
#include "lib/fmt.h"
#include "machine/machine.h"
#include "measure/latency.h"
#include "measure/measure.h"
#include "measure/role.h"

#define LOAD_WORDS_MAX 64

/* The mixes of MLC's -W, in the order of their events. */
static const enum load_mix curve_mixes[] = { LOAD_READS, LOAD_3_TO_1, LOAD_2_TO_1, LOAD_1_TO_1 };

#define N_MIXES (sizeof(curve_mixes) / sizeof(curve_mixes[0]))
#define POINTS  (N_MIXES * LOAD_LEVELS)

_Static_assert(POINTS <= COMPARED_MAX, "all points are measured in turns");

struct injection {
    const struct bench *bench;
    uint32_t cpu_node, mem_node;
    uint32_t cpu; /* that chases */
    uint32_t n_load_cpus;
    const uint32_t *load_cpus;
    bool load_is_local;
    uint64_t chain_bytes;
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

/* From the least load to the most. */
static struct load load_of_point(uint32_t point)
{
    return (struct load){ curve_mixes[point / LOAD_LEVELS],
                          load_pause(LOAD_LEVELS - 1 - point % LOAD_LEVELS) };
}

static void take_load(void *ctx, uint32_t point)
{
    struct load load = load_of_point(point);

    (void)ctx;
    roles_load(&load);
}

static void emit(const struct injection *in, enum load_mix mix, const struct measured *m)
{
    char words[LOAD_WORDS_MAX];
    const char *do_what = mix == LOAD_READS ? "read" : "read and write";
    uint32_t mem = sites_domain(in->mem_node);

    if (!unmeasured_has_runs(&m->value, "loaded latency", in->cpu_node, in->mem_node))
        return;
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
            .size_bytes = in->chain_bytes,
            .ns = m->value,
            .load = words,
            .mix = load_mix_name(mix),
            .load_mb_s = m->load_mb_s,
            .how = { .prefetch = roles.prefetch,
                     .in_caches = sites_in_caches(&in->cpu, 1, in->chain_bytes) },
        },
    });
}

/* The memory is cut in a half to measure and one to load. */
static void measure_curves(struct injection *in)
{
    static struct measured found[POINTS];
    struct span memory = sites_memory(in->bench, in->mem_node), half = sites_half(memory, 1);
    uint64_t bytes = sites_load_bytes(in->load_cpus, in->n_load_cpus, half.size);
    struct arrays load = arrays_in(in->bench, half, bytes, 3);
    struct span chain = latency_chain(in->bench, in->cpu, sites_half(memory, 0));
    void *cursor = direct(chain.base);

    if (memory.size && !chain.size)
        unmeasured_send("loaded latency", in->cpu_node, in->mem_node, FAULTY_CHAIN);
    if (!load.bytes || !chain.size)
        return;
    in->chain_bytes = chain.size;
    roles_clear();
    role_add_chase(in->cpu, &cursor);
    for (uint32_t i = 0; i < in->n_load_cpus; i++)
        role_add_load((struct role_part){ in->load_cpus[i], in->n_load_cpus, i }, &load);
    measure_in_turns(in->bench,
                     &(struct comparison){ MEASURE_NS, MEASURE_CHASE_US, POINTS, take_load, NULL },
                     found);
    for (uint32_t point = 0; point < POINTS; point++)
        emit(in, curve_mixes[point / LOAD_LEVELS], &found[point]);
}

void loaded_latency_measure(const struct bench *bench)
{
    static uint32_t cpus[SITES_CPUS_MAX];
    struct injection in = { .bench = bench, .load_cpus = cpus };

    if (bench->shares->plan->n_workers == 1)
        unmeasured_send("loaded latency", SITES_NONE, SITES_NONE, ONE_CPU_ALONE);
    for (in.cpu_node = 0; in.cpu_node < machine.nodes.n_nodes; in.cpu_node++) {
        uint32_t n = sites_cpus(bench, in.cpu_node, cpus);

        if (!n)
            continue;
        in.cpu = sites_one_cpu(cpus, n);
        in.n_load_cpus = find_load_cpus(&in, cpus);
        for (in.mem_node = 0; in.mem_node < machine.nodes.n_nodes; in.mem_node++) {
            if (in.n_load_cpus && !measure_is_over())
                measure_curves(&in);
        }
    }
}
