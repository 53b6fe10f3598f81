// SPDX-License-Identifier: MIT
#include "measure/sites.h"

#include <stdbool.h>

#include "acpi/srat.h"
#include "arch/cpuid.h"
#include "bandwidth/sizing.h"
#include "cpus/cpu_pool.h"
#include "event/notices.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "machine/machine.h"
#include "plan/share.h"
#include "self/own_aliases.h"

#define BOOT_CPU 0

uint32_t sites_cpus(const struct bench *bench, uint32_t node, uint32_t *ret_cpus)
{
    const struct plan *plan = bench->shares->plan;
    uint32_t n = 0;

    for (size_t i = 0; i < plan->n_workers; i++) {
        if (plan->workers[i].node == node)
            ret_cpus[n++] = plan->workers[i].cpu;
    }
    return n;
}

uint32_t sites_one_cpu(const uint32_t *cpus, uint32_t n)
{
    ASSERT(n > 0);
    return cpus[0] == BOOT_CPU && n > 1 ? cpus[1] : cpus[0];
}

struct span sites_memory(const struct bench *bench, uint32_t node)
{
    const struct spans *tested = &bench->shares->tested;
    const struct node *n = &machine.nodes.node[node];
    struct span best = { .size = SITES_MEMORY_MIN - 1 };

    for (size_t p = 0; p < tested->n; p++) {
        for (size_t i = 0; i < n->n_spans; i++) {
            struct span s = share_longest_kept(
                bench->shares,
                span_intersect(tested->span[p], machine.nodes.span[n->first_span + i]));

            if (s.size > best.size)
                best = s;
        }
    }
    return best.size < SITES_MEMORY_MIN ? (struct span){ 0 } : best;
}

struct span sites_half(struct span s, uint32_t half)
{
    uint64_t size = align_down(s.size / 2, LINE_SIZE);

    return (struct span){ .base = s.base + half * size, .size = size };
}

uint32_t sites_domain(uint32_t node)
{
    return machine.nodes.node[node].domain;
}

uint32_t sites_nearest_memory(const struct bench *bench, uint32_t node, uint32_t except)
{
    uint32_t best = SITES_NONE, best_distance = 0;

    for (uint32_t to = 0; to < machine.nodes.n_nodes; to++) {
        uint32_t distance = slit_distance(&machine.slit, sites_domain(node), sites_domain(to));

        if (to == except || !sites_memory(bench, to).size)
            continue;
        if (best == SITES_NONE || distance < best_distance) {
            best = to;
            best_distance = distance;
        }
    }
    return best;
}

uint32_t sites_first_node(const struct bench *bench)
{
    static uint32_t cpus[SITES_CPUS_MAX];

    for (uint32_t node = 0; node < machine.nodes.n_nodes; node++) {
        if (sites_cpus(bench, node, cpus) && sites_memory(bench, node).size)
            return node;
    }
    return bench->shares->plan->workers[0].node;
}

static void read_caches(void *ctx, uint32_t cpu)
{
    struct cache_info *info = ctx;

    if (cache_info_read(cpuid_call, NULL, info) != STATUS_OK)
        info->n_caches = 0;
}

struct cache_info sites_caches(uint32_t cpu)
{
    struct cache_info info = { 0 };

    cpu_pool_run(&cpu, 1, (struct cpu_pool_job){ read_caches, &info, NULL });
    return info;
}

/* The bytes that the last-level caches of n CPUs hold together; 0: unknown. */
static uint64_t sites_cache_bytes(const uint32_t *cpus, uint32_t n)
{
    static uint32_t apic_ids[SITES_CPUS_MAX];
    struct cache_info info = sites_caches(cpus[0]);
    const struct cache *last = cache_last_level(&info);

    for (uint32_t i = 0; i < n; i++)
        apic_ids[i] = machine.cpus[cpus[i]]->apic_id;
    return last ? cache_total_bytes(last, apic_ids, n) : 0;
}

bool sites_in_caches(const uint32_t *cpus, uint32_t n, uint64_t bytes)
{
    return bytes / SIZING_CACHE_FACTOR < sites_cache_bytes(cpus, n);
}

uint64_t sites_array_bytes(const uint32_t *cpus, uint32_t n, uint64_t bytes, uint32_t n_arrays)
{
    static bool warned;
    uint64_t caches = sites_cache_bytes(cpus, n);
    uint64_t array = sizing_array_bytes(caches, bytes, n_arrays);

    if (bytes && sites_in_caches(cpus, n, array) && !warned) {
        warned = true;
        notice("not enough memory for arrays of %u times the last-level caches (%lu KiB): "
               "bandwidth and latency are partly those of the caches",
               SIZING_CACHE_FACTOR, caches >> 10);
    }
    return array;
}

uint64_t sites_load_bytes(const uint32_t *cpus, uint32_t n, uint64_t bytes)
{
    return sizing_array_bytes(sites_cache_bytes(cpus, n), bytes, 3);
}

/*
 * Between arrays, so that the same index in two of them differs in the low 12 bits of the address,
 * by which loads wait for stores, and in the bank of the memory.
 */
#define ARRAY_GAP_BYTES (21 * LINE_SIZE)

#define CHAIN_ALIGN (UINT64_C(2) << 20) /* a huge page */

static struct arrays place(struct span memory, uint64_t bytes, uint32_t n)
{
    uint64_t each = memory.size / n;
    uint64_t most = each > ARRAY_GAP_BYTES ? align_down(each - ARRAY_GAP_BYTES, LINE_SIZE) : 0;

    return (struct arrays){
        .phys = memory.base,
        .bytes = min_u64(bytes, most),
        .n = n,
    };
}

static struct span span_of(const struct arrays *arrays)
{
    uint64_t gaps = arrays->bytes ? (arrays->n - 1) * ARRAY_GAP_BYTES : 0;

    return (struct span){ arrays->phys, arrays->n * arrays->bytes + gaps };
}

struct arrays arrays_in(const struct bench *bench, struct span memory, uint64_t bytes, uint32_t n)
{
    struct arrays arrays;

    do
        arrays = place(share_longest_kept(bench->shares, memory), bytes, n);
    while (own_aliases_guard_span(bench->shares, span_of(&arrays), bench->poll));
    return arrays;
}

struct arrays arrays_of_memory(const struct bench *bench, const uint32_t *cpus, uint32_t n_cpus,
                               struct span memory, uint32_t n)
{
    uint64_t bytes = sites_array_bytes(cpus, n_cpus, memory.size, n);
    struct arrays arrays = arrays_in(bench, memory, bytes, n);

    arrays.in_caches = sites_in_caches(cpus, n_cpus, arrays.bytes);
    return arrays;
}

static struct span chain_in(struct span memory, uint64_t bytes)
{
    uint64_t skip = align_up(memory.base, CHAIN_ALIGN) - memory.base;

    if (skip < memory.size && memory.size - skip >= bytes)
        return (struct span){ memory.base + skip, bytes };
    return (struct span){ memory.base, min_u64(bytes, memory.size) };
}

struct span arrays_chain_in(const struct bench *bench, struct span memory, uint64_t bytes)
{
    struct span chain;

    do
        chain = chain_in(share_longest_kept(bench->shares, memory), bytes);
    while (own_aliases_guard_span(bench->shares, chain, bench->poll));
    return chain;
}

uint64_t arrays_phys(const struct arrays *arrays, uint32_t i, uint64_t offset)
{
    return arrays->phys + i * (arrays->bytes + ARRAY_GAP_BYTES) + offset;
}
