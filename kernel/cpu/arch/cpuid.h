// SPDX-License-Identifier: MIT
/* What this CPU is and can do (Intel SDM vol. 2A, CPUID; AMD APM vol. 3, appendix E). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/cpuid.h"

/* cpuid() as a callback (cpudata/cpu_kind.h); ctx is not used. */
void cpuid_call(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

struct cpu_features {
    char brand[49]; /* "Intel(R) …", blanks trimmed */
    uint32_t physical_bits;
    bool nx, pages_1g, x2apic, invariant_tsc;
    bool avx2;       /* and XSAVE to turn it on */
    bool avx512;     /* the foundation, F, and avx2 */
    bool clflushopt; /* else CLFLUSH, which every x86-64 CPU has */
    bool hypervisor;
};

/* Reads them on the calling CPU. */
struct cpu_features cpu_features_read(void);
