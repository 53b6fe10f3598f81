// SPDX-License-Identifier: MIT
#include "cpudata/cpu_model.h"

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
