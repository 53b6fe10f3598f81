// SPDX-License-Identifier: MIT
#include "cpudata/cache_info.h"

#include "cpudata/apic_ids.h"
#include "cpudata/cache_legacy.h"
#include "lib/bits.h"

#define TOPOLOGY_EXTENSIONS (UINT32_C(1) << 22) /* 0x80000001 ECX */

/* None is larger. Only all ones in every field do not fit 64 bits, and come out as 0. */
#define CACHE_BYTES_MAX (UINT64_C(1) << 40)

/* Leaves 4 and 0x8000001D have one form: a cache a subleaf, until one of kind 0. */
static void read_subleaves(cpuid_fn *cpuid, void *ctx, uint32_t leaf, struct cache_info *info)
{
    for (uint32_t subleaf = 0; subleaf < CACHES_MAX; subleaf++) {
        uint32_t r[4], kind, level;
        uint64_t ways, partitions, line_bytes, sets, size;

        cpuid(ctx, leaf, subleaf, r);
        kind = r[0] & 0x1f;
        level = r[0] >> 5 & 7;
        ways = (r[1] >> 22) + 1;
        partitions = (r[1] >> 12 & 0x3ff) + 1;
        line_bytes = (r[1] & 0xfff) + 1;
        sets = (uint64_t)r[2] + 1;
        size = ways * partitions * line_bytes * sets;

        if (kind == 0)
            return;
        if (kind > CACHE_UNIFIED || level == 0 || size == 0 || size > CACHE_BYTES_MAX)
            continue;
        info->cache[info->n_caches++] = (struct cache){
            .level = level,
            .kind = kind,
            .shared_by = (r[0] >> 14 & 0xfff) + 1,
            .size_bytes = size,
        };
    }
}

enum status cache_info_read(cpuid_fn *cpuid, void *ctx, struct cache_info *ret_info)
{
    struct cache_info info = { .n_caches = 0 };
    uint32_t r[4];

    if (cpuid_ask(cpuid, ctx, 4, r))
        read_subleaves(cpuid, ctx, 4, &info);
    if (info.n_caches == 0 && cpuid_ask(cpuid, ctx, 0x8000001d, r) &&
        cpuid_ask(cpuid, ctx, 0x80000001, r) && r[2] & TOPOLOGY_EXTENSIONS)
        read_subleaves(cpuid, ctx, 0x8000001d, &info);
    if (info.n_caches == 0 && cpuid_ask(cpuid, ctx, 2, r))
        cache_legacy_descriptors(cpuid, ctx, &info);
    if (info.n_caches == 0 && cpuid_ask(cpuid, ctx, 0x80000006, r))
        cache_legacy_sizes(cpuid, ctx, &info);

    if (info.n_caches == 0)
        return STATUS_NOT_FOUND;
    *ret_info = info;
    return STATUS_OK;
}

const struct cache *cache_of_level(const struct cache_info *info, uint32_t level)
{
    const struct cache *best = NULL;

    for (size_t i = 0; i < info->n_caches; i++) {
        const struct cache *c = &info->cache[i];

        if (c->kind != CACHE_INSTRUCTION && c->level == level &&
            (!best || c->size_bytes > best->size_bytes))
            best = c;
    }
    return best;
}

const struct cache *cache_last_level(const struct cache_info *info)
{
    uint32_t last = 0;

    for (size_t i = 0; i < info->n_caches; i++)
        if (info->cache[i].kind != CACHE_INSTRUCTION && info->cache[i].level > last)
            last = info->cache[i].level;
    return cache_of_level(info, last);
}

uint64_t cache_total_bytes(const struct cache *cache, const uint32_t *apic_ids, size_t n_cpus)
{
    return cache->size_bytes * apic_ids_groups(apic_ids, n_cpus, bits_for_count(cache->shared_by));
}
