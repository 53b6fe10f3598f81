// SPDX-License-Identifier: MIT
#include "cpudata/sockets.h"

#include <stdbool.h>

#include "lib/bits.h"

#define LEAF_TOPOLOGY       0xbu
#define LEAF_TOPOLOGY_2     0x1fu
#define LEAF_AMD_SIZES      0x80000008u
#define TOPOLOGY_LEVELS_MAX 8u
#define SEVERAL_CPUS        (UINT32_C(1) << 28) /* leaf 1 EDX: "HTT" */
#define APIC_ID_BITS        32u

struct asked {
    cpuid_fn *cpuid;
    void *ctx;
    uint32_t last_leaf, last_extended;
};

/* The bits of the outermost level that a topology leaf lists; false: there is no such leaf. */
static bool bits_of_levels(const struct asked *a, uint32_t leaf, uint32_t *ret_bits)
{
    bool found = false;

    for (uint32_t subleaf = 0; a->last_leaf >= leaf && subleaf < TOPOLOGY_LEVELS_MAX; subleaf++) {
        uint32_t r[4];

        a->cpuid(a->ctx, leaf, subleaf, r);
        if (!(r[2] >> 8 & 0xff) || !r[1]) /* of no type, or without a CPU */
            break;
        *ret_bits = r[0] & 0x1f;
        found = true;
    }
    return found;
}

static bool bits_of_amd(const struct asked *a, uint32_t *ret_bits)
{
    uint32_t r[4], size;

    if (a->last_extended < LEAF_AMD_SIZES)
        return false;
    a->cpuid(a->ctx, LEAF_AMD_SIZES, 0, r);
    size = r[2] >> 12 & 0xf;
    *ret_bits = size ? size : bits_for_count((r[2] & 0xff) + 1);
    return r[2] != 0; /* Intel has the leaf, but says nothing here */
}

static bool bits_of_package(const struct asked *a, uint32_t *ret_bits)
{
    uint32_t r[4];

    if (bits_of_levels(a, LEAF_TOPOLOGY_2, ret_bits) ||
        bits_of_levels(a, LEAF_TOPOLOGY, ret_bits) || bits_of_amd(a, ret_bits))
        return true;
    if (a->last_leaf < 1)
        return false;
    a->cpuid(a->ctx, 1, 0, r);
    *ret_bits = r[3] & SEVERAL_CPUS ? bits_for_count(r[1] >> 16 & 0xff) : 0;
    return true;
}

static bool is_counted(const uint32_t *apic_ids, size_t n, uint32_t package, uint32_t bits)
{
    for (size_t i = 0; i < n; i++) {
        if (apic_ids[i] >> bits == package)
            return true;
    }
    return false;
}

uint32_t sockets_count(cpuid_fn *cpuid, void *ctx, const uint32_t *apic_ids, size_t n_cpus)
{
    struct asked a = { .cpuid = cpuid, .ctx = ctx };
    uint32_t r[4], bits, n = 0;

    cpuid(ctx, 0, 0, r);
    a.last_leaf = r[0];
    cpuid(ctx, 0x80000000, 0, r);
    a.last_extended = r[0];
    if (!bits_of_package(&a, &bits))
        return 0;
    for (size_t i = 0; i < n_cpus; i++)
        n += !is_counted(apic_ids, i, apic_ids[i] >> bits, bits);
    return n;
}
