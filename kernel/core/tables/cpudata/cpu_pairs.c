// SPDX-License-Identifier: MIT
#include "cpudata/cpu_pairs.h"

#include "cpudata/cache_info.h"
#include "lib/bits.h"
#include "lib/minmax.h"

#define APIC_ID_BITS 32

const char *cpu_share_name(enum cpu_share share)
{
    static const char *const names[CPU_SHARES] = { "core", "l2", "l3", "socket", "none" };

    return names[share];
}

struct cpu_place cpu_place_read(cpuid_fn *cpuid, void *ctx, uint32_t apic_id)
{
    struct cache_info info = { 0 };
    uint32_t socket_bits = APIC_ID_BITS;
    struct cpu_place place = { .apic_id = apic_id };

    cache_info_read(cpuid, ctx, &info);
    socket_bits_read(cpuid, ctx, &socket_bits);
    place.low_bits[CPU_SHARE_CORE] = (uint8_t)cpu_identity_read(cpuid, ctx).thread_bits;
    for (uint32_t level = 2; level <= 3; level++) {
        const struct cache *cache = cache_of_level(&info, level);

        if (cache)
            place.low_bits[CPU_SHARE_L2 + level - 2] = (uint8_t)bits_for_count(cache->shared_by);
    }
    place.low_bits[CPU_SHARE_SOCKET] = (uint8_t)socket_bits;
    return place;
}

/* Where two CPUs disagree, they share what both report. */
static enum cpu_share cpu_share_of(const struct cpu_place *a, const struct cpu_place *b)
{
    uint64_t differing = a->apic_id ^ b->apic_id;
    enum cpu_share share = CPU_SHARE_CORE;

    while (share < CPU_SHARE_NONE && differing >> min_u64(a->low_bits[share], b->low_bits[share]))
        share++;
    return share;
}

void cpu_pairs_choose(const struct cpu_place *place, uint32_t n,
                      struct cpu_pair ret_pair[CPU_SHARES])
{
    for (enum cpu_share share = 0; share < CPU_SHARES; share++)
        ret_pair[share].first = CPU_PAIR_NONE;
    for (uint32_t first = 0; first < n; first++) {
        for (uint32_t second = 0; second < n; second++) {
            struct cpu_pair *pair = &ret_pair[cpu_share_of(&place[first], &place[second])];

            if (first != second && pair->first == CPU_PAIR_NONE)
                *pair = (struct cpu_pair){ first, second };
        }
    }
}
