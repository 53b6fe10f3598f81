// SPDX-License-Identifier: MIT
/* CPUID that a fuzz target plays: stands in for kernel/io/cpuid.h. */
#pragma once

#include <stdint.h>

struct cpuid_regs {
    uint32_t eax, ebx, ecx, edx;
};

struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf);
