// SPDX-License-Identifier: MIT
#include "cpudata/cache_legacy.h"

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

void cache_legacy_descriptors(cpuid_fn *cpuid, void *ctx, struct cache_info *info)
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

void cache_legacy_sizes(cpuid_fn *cpuid, void *ctx, struct cache_info *info)
{
    uint32_t r[4];

    cpuid(ctx, 0x80000005, 0, r);
    add(info, 1, (r[2] >> 24) * UINT64_C(1024));
    cpuid(ctx, 0x80000006, 0, r);
    add(info, 2, (r[2] >> 16) * UINT64_C(1024));
    add(info, 3, (r[3] >> 18) * UINT64_C(512 * 1024));
}
