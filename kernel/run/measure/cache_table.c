// SPDX-License-Identifier: MIT
#include "measure/parts.h"

#include "arch/paging.h"
#include "bandwidth/sizing.h"
#include "machine/machine.h"
#include "measure/latency.h"
#include "measure/measure.h"
#include "measure/role.h"

#define MEMORY 0 /* as a level in events */

static struct event_stats read_mb_s(const struct bench *bench, uint32_t cpu, struct span memory,
                                    uint64_t bytes)
{
    struct arrays arrays = arrays_in(bench, memory, bytes, 1);

    roles_clear();
    role_add_stream((struct role_part){ cpu, 1, 0 }, STREAM_READ, &arrays);
    return measure_mb_s(bench, MEASURE_CACHE_US);
}

static struct event_stats chase_ns(const struct bench *bench, uint32_t cpu, struct span chain)
{
    void *cursor = direct(chain.base);

    roles_clear();
    role_add_chase(cpu, &cursor);
    return measure_ns(bench, MEASURE_CACHE_US);
}

static void emit(uint32_t level, uint64_t size_bytes, struct event_stats mb_s,
                 struct event_stats ns, bool in_caches)
{
    if (measure_is_over() || !unmeasured_has_runs(&mb_s, "caches", SITES_NONE, SITES_NONE))
        return;
    events_send(&(struct event){
        .type = EVENT_CACHE,
        .cache = { .level = level,
                   .size_bytes = size_bytes,
                   .mb_s = mb_s,
                   .ns = ns,
                   .how = roles_how(in_caches) },
    });
}

static void measure_level(const struct bench *bench, uint32_t cpu, struct span memory,
                          const struct cache_info *info, uint32_t level)
{
    const struct cache *cache = cache_of_level(info, level);
    uint64_t bytes = curve_cache_bytes(info, level);
    struct span chain;
    struct event_stats mb_s;

    if (cache && bytes > memory.size)
        unmeasured_send("caches", SITES_NONE, SITES_NONE,
                        "the largest piece of tested memory is smaller than the array for a cache");
    if (!cache || !bytes || bytes > memory.size)
        return;
    mb_s = read_mb_s(bench, cpu, memory, bytes);
    chain = arrays_chain_in(bench, memory, bytes);
    if (!chain.size)
        return;
    emit(level, cache->size_bytes, mb_s,
         measure_build_chain(bench, cpu, chain, CHASE_EVERY_LINE) ? chase_ns(bench, cpu, chain)
                                                                  : (struct event_stats){ 0 },
         false);
}

static void measure_memory(const struct bench *bench, uint32_t cpu, uint32_t mem_node)
{
    struct span memory = sites_memory(bench, mem_node);
    uint64_t bytes = sites_array_bytes(&cpu, 1, memory.size, 1);
    struct event_stats mb_s = read_mb_s(bench, cpu, memory, bytes);
    struct span chain;

    emit(MEMORY, machine.nodes.node[mem_node].ram_bytes, mb_s,
         latency_memory_ns(bench, cpu, mem_node, &chain), sites_in_caches(&cpu, 1, bytes));
}

void cache_table_measure(const struct bench *bench)
{
    static uint32_t cpus[SITES_CPUS_MAX];
    uint32_t node = sites_first_node(bench);
    uint32_t cpu = sites_one_cpu(cpus, sites_cpus(bench, node, cpus));
    uint32_t mem_node = sites_nearest_memory(bench, node, SITES_NONE);
    struct cache_info info = sites_caches(cpu);
    const struct cache *last = cache_last_level(&info);
    struct span memory;

    if (mem_node == SITES_NONE)
        return;
    if (!last)
        unmeasured_send("caches", SITES_NONE, SITES_NONE,
                        machine.cpu.hypervisor ? "CPUID reports none: the hypervisor hides them"
                                               : "CPUID reports none");
    memory = sites_memory(bench, mem_node);
    for (uint32_t level = 1; last && level <= last->level && !measure_is_over(); level++)
        measure_level(bench, cpu, memory, &info, level);
    if (!measure_is_over())
        measure_memory(bench, cpu, mem_node);
}
