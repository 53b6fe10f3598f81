// SPDX-License-Identifier: MIT
#include "measure/parts.h"

#include "machine/machine.h"
#include "measure/measure.h"
#include "measure/role.h"

struct redundant_pair {
    const struct bench *bench;
    uint32_t cpu_node, mem_node, other_node;
    const uint32_t *cpus;
    uint32_t n_cpus;
};

/* Returns the mean, MB/s of data; 0: nothing was measured. */
static double measure_kind(const struct redundant_pair *p, enum redundancy kind, struct span data,
                           uint64_t other_phys, double plain_mb_s)
{
    struct event_stats s;

    roles_clear();
    for (uint32_t i = 0; i < p->n_cpus; i++)
        role_add_redundant((struct role_part){ p->cpus[i], p->n_cpus, i }, kind, data, other_phys);
    s = measure_mb_s(p->bench, MEASURE_STREAM_US);
    if (!s.runs)
        return 0;
    events_send(&(struct event){
        .type = EVENT_REDUNDANCY,
        .redundancy = {
            .cpu_node = sites_domain(p->cpu_node),
            .mem_node = sites_domain(p->mem_node),
            .other_node = sites_domain(p->other_node),
            .kind = redundancy_name(kind),
            .threads = p->n_cpus,
            .mb_s = s,
            .cost_percent = plain_mb_s > 0 ? 100 * (plain_mb_s - s.mean) / plain_mb_s : 0,
        },
    });
    return s.mean;
}

static void measure_pair(const struct redundant_pair *p)
{
    bool same = p->mem_node == p->other_node;
    struct span memory = sites_memory(p->bench, p->mem_node),
                rest = sites_memory(p->bench, p->other_node);
    struct arrays data, other;
    uint64_t bytes;
    double plain = 0;

    if (same) {
        rest = sites_part(memory, 2, 1);
        memory = sites_part(memory, 2, 0);
    }
    bytes = sites_array_bytes(p->cpus, p->n_cpus, memory.size, 1);
    other = arrays_in(p->bench, rest, bytes, 1);
    data = arrays_in(p->bench, memory, other.bytes, 1);
    for (enum redundancy kind = 0; kind < REDUNDANCY_KINDS && data.bytes; kind++) {
        double mean =
            measure_kind(p, kind, (struct span){ data.phys, data.bytes }, other.phys, plain);

        if (kind == REDUNDANCY_NONE)
            plain = mean;
        if (measure_is_over())
            return;
    }
}

void redundancy_measure(const struct bench *bench)
{
    static uint32_t cpus[SITES_CPUS_MAX];

    for (uint32_t node = 0; node < machine.nodes.n_nodes && !measure_is_over(); node++) {
        uint32_t n = sites_cpus(bench, node, cpus), other = sites_nearest_memory(bench, node, node);

        if (!n || !sites_memory(bench, node).size)
            continue;
        if (other == SITES_NONE) {
            measure_pair(&(struct redundant_pair){ bench, node, node, node, cpus, n });
            continue;
        }
        measure_pair(&(struct redundant_pair){ bench, node, node, other, cpus, n });
        measure_pair(&(struct redundant_pair){ bench, node, other, node, cpus, n });
    }
}
