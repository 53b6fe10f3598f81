// SPDX-License-Identifier: MIT
/* What this CPU is and can do (Intel SDM vol. 2A, CPUID; AMD APM vol. 3, appendix E). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cpuid_regs {
    uint32_t eax, ebx, ecx, edx;
};

static inline struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs r;

    __asm__ volatile("cpuid"
                     : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
                     : "a"(leaf), "c"(subleaf));
    return r;
}

/* The same as a callback, with EAX to EDX in regs; ctx is not used. */
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
