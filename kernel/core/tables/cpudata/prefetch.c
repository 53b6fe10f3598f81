// SPDX-License-Identifier: MIT
#include "cpudata/prefetch.h"

#include <stddef.h>

#define LEAF_FEATURES      1u
#define LEAF_AMD_FEATURES  0x80000021u
#define UNDER_A_HYPERVISOR (1u << 31) /* leaf 1 ECX */
#define HAS_CONTROL        (1u << 13) /* leaf 0x80000021 EAX: PrefetchCtlMsr */

#define MSR_INTEL    0x1a4u
#define MSR_AMD      0xc0000108u
#define FAMILY_CORE  6u
#define FAMILY_ZEN_3 0x19u

#define INTEL_FOUR     0xfu  /* L2, its adjacent line, L1, L1 by instruction */
#define INTEL_AMP      0x2fu /* and the one by patterns of accesses */
#define INTEL_GOLDMONT 0x5u  /* L2, L1 */
#define AMD_FIVE       0x2fu /* L1 stream, stride, region; L2 stream, up and down */

/* Models of family 6 with the same bits. */
static const struct {
    const char *models;
    uint8_t off;
} intel[] = {
    { "\x1a\x1e\x1f\x2e"                  /* Nehalem */
      "\x25\x2c\x2f"                      /* Westmere */
      "\x2a\x2d\x3a\x3e"                  /* Sandy Bridge, Ivy Bridge */
      "\x3c\x3f\x45\x46\x3d\x47\x4f\x56"  /* Haswell, Broadwell */
      "\x4e\x5e\x55\x8e\x9e\xa5\xa6"      /* Skylake to Comet Lake */
      "\x66\x7d\x7e\x6a\x6c\xa7\x8c\x8d", /* Cannon, Ice, Rocket and Tiger Lake */
      INTEL_FOUR },
    { "\x97\x9a\xb7\xba\xbf" /* Alder Lake, Raptor Lake */
      "\x8f\xcf",            /* Sapphire Rapids, Emerald Rapids */
      INTEL_AMP },
    { "\x5c\x5f\x7a", INTEL_GOLDMONT },
};

static struct prefetch_control of_intel(const struct cpu_model *cpu, enum cpu_kind kind)
{
    /* An efficient core of these models has a register of this number with another layout. */
    if (cpu->family != FAMILY_CORE || (kind != CPU_KIND_ONLY && kind != CPU_KIND_PERFORMANCE))
        return (struct prefetch_control){ 0 };
    for (size_t i = 0; i < sizeof(intel) / sizeof(intel[0]); i++) {
        for (const char *m = intel[i].models; *m; m++) {
            if ((uint8_t)*m == cpu->model)
                return (struct prefetch_control){ MSR_INTEL, intel[i].off };
        }
    }
    return (struct prefetch_control){ 0 };
}

struct prefetch_control prefetch_control_find(cpuid_fn *cpuid, void *ctx)
{
    struct cpu_model cpu = cpu_model_read(cpuid, ctx);
    uint32_t r[4];

    if (!cpuid_ask(cpuid, ctx, LEAF_FEATURES, r) || r[2] & UNDER_A_HYPERVISOR)
        return (struct prefetch_control){ 0 };
    if (cpu.vendor == CPU_VENDOR_INTEL)
        return of_intel(&cpu, cpu_identity_read(cpuid, ctx).kind);
    if (cpu.vendor == CPU_VENDOR_AMD && cpu.family >= FAMILY_ZEN_3 &&
        cpuid_ask(cpuid, ctx, LEAF_AMD_FEATURES, r) && r[0] & HAS_CONTROL)
        return (struct prefetch_control){ MSR_AMD, AMD_FIVE };
    return (struct prefetch_control){ 0 };
}
