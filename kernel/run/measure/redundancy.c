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
    struct span data;
    uint64_t other_phys;
    bool in_caches;
};

static void take_kind(void *ctx, uint32_t kind)
{
    const struct redundant_pair *p = ctx;

    roles_clear();
    for (uint32_t i = 0; i < p->n_cpus; i++)
        role_add_redundant((struct role_part){ p->cpus[i], p->n_cpus, i }, kind, p->data,
                           p->other_phys);
}

static void emit(const struct redundant_pair *p, enum redundancy kind, const struct event_stats *s,
                 const struct event_stats *plain)
{
    if (!unmeasured_has_runs(s, "redundancy", p->cpu_node, p->mem_node))
        return;
    events_send(&(struct event){
        .type = EVENT_REDUNDANCY,
        .redundancy = {
            .cpu_node = sites_domain(p->cpu_node),
            .mem_node = sites_domain(p->mem_node),
            .other_node = sites_domain(p->other_node),
            .kind = redundancy_name(kind),
            .threads = p->n_cpus,
            .mb_s = *s,
            .how = roles_how(p->in_caches),
            .cost_percent = plain->mean > 0 ? 100 * (plain->mean - s->mean) / plain->mean : 0,
        },
    });
}

static void measure_kinds(struct redundant_pair *p)
{
    struct measured found[REDUNDANCY_KINDS];
    const struct comparison kinds = { MEASURE_MB_S, MEASURE_STREAM_US, REDUNDANCY_KINDS, take_kind,
                                      p };

    measure_in_turns(p->bench, &kinds, found);
    for (enum redundancy kind = 0; kind < REDUNDANCY_KINDS; kind++)
        emit(p, kind, &found[kind].value, &found[REDUNDANCY_NONE].value);
}

static void measure_pair(struct redundant_pair *p)
{
    bool same = p->mem_node == p->other_node;
    struct span memory = sites_memory(p->bench, p->mem_node),
                rest = sites_memory(p->bench, p->other_node);
    struct arrays data, other;
    uint64_t bytes;

    if (same) {
        rest = sites_half(memory, 1);
        memory = sites_half(memory, 0);
    }
    bytes = sites_array_bytes(p->cpus, p->n_cpus, memory.size, 1);
    other = arrays_in(p->bench, rest, bytes, 1);
    data = arrays_in(p->bench, memory, other.bytes, 1);
    p->data = (struct span){ data.phys, data.bytes };
    p->other_phys = other.phys;
    p->in_caches = sites_in_caches(p->cpus, p->n_cpus, data.bytes);
    if (data.bytes && !measure_is_over())
        measure_kinds(p);
}

void redundancy_measure(const struct bench *bench)
{
    static uint32_t cpus[SITES_CPUS_MAX];

    for (uint32_t node = 0; node < machine.nodes.n_nodes && !measure_is_over(); node++) {
        uint32_t n = sites_cpus(bench, node, cpus), other = sites_nearest_memory(bench, node, node);

        if (!n || !sites_memory(bench, node).size)
            continue;
        if (other == SITES_NONE) {
            measure_pair(
                &(struct redundant_pair){ bench, node, node, node, cpus, n, { 0 }, 0, false });
            continue;
        }
        measure_pair(
            &(struct redundant_pair){ bench, node, node, other, cpus, n, { 0 }, 0, false });
        measure_pair(
            &(struct redundant_pair){ bench, node, other, node, cpus, n, { 0 }, 0, false });
    }
}
