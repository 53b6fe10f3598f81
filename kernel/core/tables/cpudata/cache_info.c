// SPDX-License-Identifier: MIT
#include "cpudata/cache_info.h"

#include <stddef.h>

#include "lib/bits.h"
#include "lib/minmax.h"

/* Data and unified caches of CPUs that have long mode: 64-byte lines all of them. */
static const struct {
    uint8_t descriptor, level;
    uint16_t size_kib;
} descriptors[] = {
    { 0x0d, 1, 16 },    { 0x0e, 1, 24 },    { 0x2c, 1, 32 },    { 0x60, 1, 16 },
    { 0x66, 1, 8 },     { 0x67, 1, 16 },    { 0x68, 1, 32 },    { 0x21, 2, 256 },
    { 0x48, 2, 3072 },  { 0x49, 2, 4096 },  { 0x4e, 2, 6144 },  { 0x78, 2, 1024 },
    { 0x79, 2, 128 },   { 0x7a, 2, 256 },   { 0x7b, 2, 512 },   { 0x7c, 2, 1024 },
    { 0x7d, 2, 2048 },  { 0x7f, 2, 512 },   { 0x80, 2, 512 },   { 0x86, 2, 512 },
    { 0x87, 2, 1024 },  { 0x22, 3, 512 },   { 0x23, 3, 1024 },  { 0x25, 3, 2048 },
    { 0x29, 3, 4096 },  { 0x46, 3, 4096 },  { 0x47, 3, 8192 },  { 0x4a, 3, 6144 },
    { 0x4b, 3, 8192 },  { 0x4c, 3, 12288 }, { 0x4d, 3, 16384 }, { 0xd0, 3, 512 },
    { 0xd1, 3, 1024 },  { 0xd2, 3, 2048 },  { 0xd6, 3, 1024 },  { 0xd7, 3, 2048 },
    { 0xd8, 3, 4096 },  { 0xdc, 3, 1536 },  { 0xdd, 3, 3072 },  { 0xde, 3, 6144 },
    { 0xe2, 3, 2048 },  { 0xe3, 3, 4096 },  { 0xe4, 3, 8192 },  { 0xea, 3, 12288 },
    { 0xeb, 3, 18432 }, { 0xec, 3, 24576 },
};

static void add(struct cache_info *info, uint32_t level, uint64_t size_bytes)
{
    if (size_bytes == 0 || info->n_caches == CACHES_MAX)
        return;
    info->cache[info->n_caches++] = (struct cache){
        .level = level,
        .kind = level == 1 ? CACHE_DATA : CACHE_UNIFIED,
        .shared_by = 1,
        .size_bytes = size_bytes,
    };
}

/* Leaf 2: a byte a cache (Intel SDM vol. 2A, "CPUID", table of descriptors). */
static void add_by_descriptors(cpuid_fn *cpuid, void *ctx, struct cache_info *info)
{
    uint32_t r[4];

    cpuid(ctx, 2, 0, r);
    r[0] &= ~UINT32_C(0xff); /* AL is how often to run it: 1 on every CPU */
    for (int i = 0; i < 4; i++) {
        if (r[i] >> 31) /* no descriptors in this register */
            continue;
        for (uint32_t left = r[i]; left; left >>= 8)
            for (size_t d = 0; d < sizeof(descriptors) / sizeof(descriptors[0]); d++)
                if (descriptors[d].descriptor == (left & 0xff))
                    add(info, descriptors[d].level, descriptors[d].size_kib * UINT64_C(1024));
    }
}

/* Leaves 0x80000005 and 0x80000006 (AMD APM vol. 3, E.4.4); Intel reports the L2 there. */
static void add_by_sizes(cpuid_fn *cpuid, void *ctx, struct cache_info *info)
{
    uint32_t r[4];

    cpuid(ctx, 0x80000005, 0, r);
    add(info, 1, (r[2] >> 24) * UINT64_C(1024));
    cpuid(ctx, 0x80000006, 0, r);
    add(info, 2, (r[2] >> 16) * UINT64_C(1024));
    add(info, 3, (r[3] >> 18) * UINT64_C(512 * 1024));
}

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
        add_by_descriptors(cpuid, ctx, &info);
    if (info.n_caches == 0 && cpuid_ask(cpuid, ctx, 0x80000006, r))
        add_by_sizes(cpuid, ctx, &info);

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

#define MIB (UINT64_C(1) << 20)

/* Memory-side caches in Intel's processors. */
static const struct {
    uint32_t family, model;
    uint64_t bytes;
} intel[] = {
    { 6, 0xbd, 8 * MIB }, /* Lunar Lake */
    { 6, 0xcc, 8 * MIB }, /* Panther Lake */
};

static uint64_t largest_in(const struct hmat *hmat)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < hmat->n_caches; i++)
        bytes = max_u64(bytes, hmat->cache[i].size_bytes);
    return bytes;
}

static uint64_t bytes_of(struct cpu_model cpu)
{
    for (size_t i = 0; i < sizeof(intel) / sizeof(intel[0]); i++) {
        if (cpu.vendor == CPU_VENDOR_INTEL && cpu.family == intel[i].family &&
            cpu.model == intel[i].model)
            return intel[i].bytes;
    }
    return 0;
}

struct side_cache side_cache_find(const struct hmat *hmat, struct cpu_model cpu)
{
    uint64_t by_hmat = largest_in(hmat), by_cpu = bytes_of(cpu);

    if (by_hmat)
        return (struct side_cache){ by_hmat, "hmat" };
    return (struct side_cache){ by_cpu, by_cpu ? "cpu" : NULL };
}
