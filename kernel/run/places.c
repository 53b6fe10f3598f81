#include "run/places.h"

#include <stdbool.h>

#include "arch/cpuid.h"
#include "bandwidth/plan.h"
#include "firmware/slit.h"
#include "lib/panic.h"
#include "run/crew.h"
#include "run/machine.h"
#include "run/notices.h"
#include "run/plan.h"
#include "run/share.h"

#define BOOT_CPU 0

uint32_t places_cpus(uint32_t node, uint32_t *ret_cpus)
{
    uint32_t n = 0;

    for (size_t i = 0; i < plan.n_workers; i++) {
        if (plan.workers[i].node == node)
            ret_cpus[n++] = plan.workers[i].cpu;
    }
    return n;
}

uint32_t places_one_cpu(const uint32_t *cpus, uint32_t n)
{
    ASSERT(n > 0);
    return cpus[0] == BOOT_CPU && n > 1 ? cpus[1] : cpus[0];
}

struct span places_memory(uint32_t node)
{
    const struct node *n = &machine.nodes.node[node];
    struct span best = { .size = PLACES_MEMORY_MIN - 1 };

    for (size_t p = 0; p < plan.pieces.n; p++) {
        for (size_t i = 0; i < n->n_spans && !plan.pieces.piece[p].why; i++) {
            struct span s = share_longest_kept(
                span_intersect(plan.pieces.piece[p].span, machine.nodes.span[n->first_span + i]));

            if (s.size > best.size)
                best = s;
        }
    }
    return best.size < PLACES_MEMORY_MIN ? (struct span){ 0 } : best;
}

struct span places_part(struct span s, uint32_t n, uint32_t part)
{
    uint64_t size = align_down(s.size / n, LINE_SIZE);

    return (struct span){ .base = s.base + part * size, .size = size };
}

uint32_t places_domain(uint32_t node)
{
    return machine.nodes.node[node].domain;
}

uint32_t places_nearest_memory(uint32_t node, uint32_t except)
{
    uint32_t best = PLACES_NONE, best_distance = 0;

    for (uint32_t to = 0; to < machine.nodes.n_nodes; to++) {
        uint32_t distance = slit_distance(&machine.slit, places_domain(node), places_domain(to));

        if (to == except || !places_memory(to).size)
            continue;
        if (best == PLACES_NONE || distance < best_distance) {
            best = to;
            best_distance = distance;
        }
    }
    return best;
}

static bool has_cpus(uint32_t node)
{
    for (size_t i = 0; i < plan.n_workers; i++) {
        if (plan.workers[i].node == node)
            return true;
    }
    return false;
}

uint32_t places_first_node(void)
{
    for (uint32_t node = 0; node < machine.nodes.n_nodes; node++) {
        if (has_cpus(node) && places_memory(node).size)
            return node;
    }
    return plan.workers[0].node;
}

static void read_caches(void *ctx, uint32_t cpu)
{
    struct cache_info *info = ctx;

    if (cache_info_read(cpuid_call, NULL, info) != STATUS_OK)
        info->n_caches = 0;
}

struct cache_info places_caches(uint32_t cpu)
{
    struct cache_info info = { 0 };

    crew_run(&cpu, 1, read_caches, &info);
    return info;
}

uint64_t places_cache_bytes(const uint32_t *cpus, uint32_t n)
{
    static uint32_t apic_ids[PLACES_CPUS_MAX];
    struct cache_info info = places_caches(cpus[0]);
    const struct cache *last = cache_last_level(&info);

    for (uint32_t i = 0; i < n; i++)
        apic_ids[i] = machine.cpus[cpus[i]]->apic_id;
    return last ? cache_total_bytes(last, apic_ids, n) : 0;
}

uint64_t places_array_bytes(const uint32_t *cpus, uint32_t n, uint64_t bytes, uint32_t n_arrays)
{
    static bool warned;
    uint64_t caches = places_cache_bytes(cpus, n);
    uint64_t array = plan_array_bytes(caches, bytes, n_arrays);

    if (bytes && array / PLAN_CACHE_FACTOR < caches && !warned) {
        warned = true;
        warn_print(&notices,
                   "memory is too small for arrays of %u times the last-level caches (%lu KiB): "
                   "bandwidth and latency are the caches' in part",
                   PLAN_CACHE_FACTOR, (unsigned long)(caches >> 10));
    }
    return array;
}

uint64_t places_load_bytes(const uint32_t *cpus, uint32_t n, uint64_t bytes, uint32_t n_arrays)
{
    return plan_array_bytes(places_cache_bytes(cpus, n), bytes, n_arrays);
}
