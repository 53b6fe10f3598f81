// SPDX-License-Identifier: MIT
#include "cpudata/sockets.h"

#include <stdbool.h>

#include "cpudata/apic_ids.h"
#include "lib/bits.h"

#define LEAF_TOPOLOGY       0xbu
#define LEAF_TOPOLOGY_2     0x1fu
#define LEAF_AMD_SIZES      0x80000008u
#define TOPOLOGY_LEVELS_MAX 8u
#define SEVERAL_CPUS        (UINT32_C(1) << 28) /* leaf 1 EDX: "HTT" */
#define APIC_ID_BITS        32u

/* The bits of the outermost level that a topology leaf lists; false: there is no such leaf. */
static bool bits_of_levels(cpuid_fn *cpuid, void *ctx, uint32_t leaf, uint32_t *ret_bits)
{
    uint32_t r[4];
    bool has = cpuid_ask(cpuid, ctx, leaf, r), found = false;

    for (uint32_t subleaf = 0; has && subleaf < TOPOLOGY_LEVELS_MAX; subleaf++) {
        cpuid(ctx, leaf, subleaf, r);
        if (!(r[2] >> 8 & 0xff) || !r[1]) /* of no type, or without a CPU */
            break;
        *ret_bits = r[0] & 0x1f;
        found = true;
    }
    return found;
}

static bool bits_of_amd(cpuid_fn *cpuid, void *ctx, uint32_t *ret_bits)
{
    uint32_t r[4], size;

    if (!cpuid_ask(cpuid, ctx, LEAF_AMD_SIZES, r))
        return false;
    size = r[2] >> 12 & 0xf;
    *ret_bits = size ? size : bits_for_count((r[2] & 0xff) + 1);
    return r[2] != 0; /* Intel has the leaf, but says nothing here */
}

static bool bits_of_package(cpuid_fn *cpuid, void *ctx, uint32_t *ret_bits)
{
    uint32_t r[4];

    if (bits_of_levels(cpuid, ctx, LEAF_TOPOLOGY_2, ret_bits) ||
        bits_of_levels(cpuid, ctx, LEAF_TOPOLOGY, ret_bits) || bits_of_amd(cpuid, ctx, ret_bits))
        return true;
    if (!cpuid_ask(cpuid, ctx, 1, r))
        return false;
    *ret_bits = r[3] & SEVERAL_CPUS ? bits_for_count(r[1] >> 16 & 0xff) : 0;
    return true;
}

uint32_t sockets_count(cpuid_fn *cpuid, void *ctx, const uint32_t *apic_ids, size_t n_cpus)
{
    uint32_t bits;

    return bits_of_package(cpuid, ctx, &bits) ? apic_ids_groups(apic_ids, n_cpus, bits) : 0;
}
