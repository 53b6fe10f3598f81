// SPDX-License-Identifier: MIT
#include "cpudata/cpu_kind.h"

#include <stdbool.h>

#include "lib/bits.h"

#define LEAF_CACHES       4u
#define LEAF_FEATURES     7u
#define LEAF_TOPOLOGY     0xbu
#define LEAF_HYBRID       0x1au
#define LEAF_TOPOLOGY_2   0x1fu
#define LEAF_AMD_SIZES    0x80000008u
#define LEAF_AMD_CORE     0x8000001eu
#define LEAF_AMD_TOPOLOGY 0x80000026u

#define FEATURES_HYBRID   (1u << 15) /* leaf 7 EDX */
#define HYBRID_ATOM       0x20u
#define HYBRID_CORE       0x40u
#define AMD_HETEROGENEOUS (1u << 30) /* leaf 0x80000026 EAX */
#define AMD_PERFORMANCE   0u
#define AMD_EFFICIENCY    1u
#define TOPOLOGY_THREADS  1u /* leaf 0xB ECX 15:8: a level of threads */
#define HAS_MTRRS         (1u << 12)
#define SEVERAL_CPUS      (1u << 28) /* leaf 1 EDX: "HTT" */
#define FAMILY_K8         0xfu
#define PHYSICAL_BITS_MIN 36u

#define TOPOLOGY_LEVELS_MAX 8u

static enum cpu_kind kind_of(cpuid_fn *cpuid, void *ctx)
{
    uint32_t r[4];

    if (cpuid_ask(cpuid, ctx, LEAF_FEATURES, r) && r[3] & FEATURES_HYBRID &&
        cpuid_ask(cpuid, ctx, LEAF_HYBRID, r)) {
        switch (r[0] >> 24) {
        case HYBRID_CORE: return CPU_KIND_PERFORMANCE;
        case HYBRID_ATOM: return CPU_KIND_EFFICIENCY;
        default: return CPU_KIND_OTHER;
        }
    }
    if (cpuid_ask(cpuid, ctx, LEAF_AMD_TOPOLOGY, r) && r[0] & AMD_HETEROGENEOUS) {
        switch (r[1] >> 28) {
        case AMD_PERFORMANCE: return CPU_KIND_PERFORMANCE;
        case AMD_EFFICIENCY: return CPU_KIND_EFFICIENCY;
        default: return CPU_KIND_OTHER;
        }
    }
    return CPU_KIND_ONLY;
}

/* Before leaf 0xB: the threads of a package over its cores. */
static uint32_t thread_bits_of_package(cpuid_fn *cpuid, void *ctx)
{
    uint32_t basic[4], caches[4], threads, cores;

    if (!cpuid_ask(cpuid, ctx, 1, basic) || !(basic[3] & SEVERAL_CPUS) ||
        !cpuid_ask(cpuid, ctx, LEAF_CACHES, caches))
        return 0;
    threads = bits_for_count(basic[1] >> 16 & 0xff);
    cores = bits_for_count((caches[0] >> 26) + 1);
    return threads > cores ? threads - cores : 0;
}

static uint32_t thread_bits(cpuid_fn *cpuid, void *ctx, bool is_amd)
{
    uint32_t r[4];

    if (cpuid_ask(cpuid, ctx, LEAF_TOPOLOGY, r) && r[1])
        return (r[2] >> 8 & 0xff) == TOPOLOGY_THREADS ? r[0] & 0x1f : 0;
    if (!is_amd)
        return thread_bits_of_package(cpuid, ctx);
    return cpuid_ask(cpuid, ctx, LEAF_AMD_CORE, r) ? bits_for_count((r[1] >> 8 & 0xff) + 1) : 0;
}

struct cpu_identity cpu_identity_read(cpuid_fn *cpuid, void *ctx)
{
    struct cpu_identity id = { .physical_bits = PHYSICAL_BITS_MIN };
    struct cpu_model model = cpu_model_read(cpuid, ctx);
    uint32_t basic[4] = { 0 }, r[4];

    cpuid_ask(cpuid, ctx, 1, basic);
    id.is_intel = model.vendor == CPU_VENDOR_INTEL;
    id.is_amd = (model.vendor == CPU_VENDOR_AMD || model.vendor == CPU_VENDOR_HYGON) &&
                model.family >= FAMILY_K8;
    id.has_microcode = id.is_intel || id.is_amd;
    id.has_mtrrs = basic[3] & HAS_MTRRS;
    id.kind = kind_of(cpuid, ctx);
    id.thread_bits = thread_bits(cpuid, ctx, id.is_amd);
    if (cpuid_ask(cpuid, ctx, LEAF_AMD_SIZES, r) && r[0] & 0xff)
        id.physical_bits = r[0] & 0xff;
    return id;
}

const char *cpu_kind_name(enum cpu_kind kind)
{
    static const char *const names[CPU_KINDS] = {
        [CPU_KIND_ONLY] = "all",
        [CPU_KIND_PERFORMANCE] = "performance",
        [CPU_KIND_EFFICIENCY] = "efficiency",
        [CPU_KIND_OTHER] = "other",
    };

    return names[kind];
}

uint32_t cpu_threads_of_core(uint32_t apic_id, uint32_t thread_bits, const uint32_t *apic_ids,
                             size_t n_cpus)
{
    uint32_t n = 0;

    for (size_t i = 0; i < n_cpus; i++)
        n += apic_ids[i] >> thread_bits == apic_id >> thread_bits;
    return n;
}

#define FAMILY_INTEL 0x6u /* its models have extended fields, too */
#define FAMILY_LAST  0xfu

/* The vendor's name is in EBX, EDX and ECX: its first four letters are enough. */
static enum cpu_vendor vendor_of(uint32_t letters)
{
    switch (letters) {
    case 0x756e6547: /* "Genu" */ return CPU_VENDOR_INTEL;
    case 0x68747541: /* "Auth" */ return CPU_VENDOR_AMD;
    case 0x6f677948: /* "Hygo" */ return CPU_VENDOR_HYGON;
    default: return CPU_VENDOR_OTHER;
    }
}

struct cpu_model cpu_model_read(cpuid_fn *cpuid, void *ctx)
{
    uint32_t first[4], basic[4] = { 0 };
    struct cpu_model m;

    cpuid(ctx, 0, 0, first);
    if (first[0])
        cpuid(ctx, 1, 0, basic);
    m.vendor = vendor_of(first[1]);
    m.stepping = basic[0] & 0xf;
    m.family = basic[0] >> 8 & 0xf;
    m.model = basic[0] >> 4 & 0xf;
    if (m.family == FAMILY_INTEL || m.family == FAMILY_LAST)
        m.model |= basic[0] >> 12 & 0xf0;
    if (m.family == FAMILY_LAST)
        m.family += basic[0] >> 20 & 0xff;
    return m;
}

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

bool socket_bits_read(cpuid_fn *cpuid, void *ctx, uint32_t *ret_bits)
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
