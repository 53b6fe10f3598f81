// SPDX-License-Identifier: MIT
/* CPUID for code that is pure: the caller brings it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Runs CPUID: regs is EAX, EBX, ECX, EDX. */
typedef void cpuid_fn(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

/* One leaf, as far as the CPU has it; false, and nothing is written: it has no such leaf. */
static inline bool cpuid_ask(cpuid_fn *call, void *ctx, uint32_t leaf, uint32_t ret_regs[4])
{
    uint32_t last[4];

    call(ctx, leaf & UINT32_C(0x80000000), 0, last);
    if (leaf > last[0])
        return false;
    call(ctx, leaf, 0, ret_regs);
    return true;
}
