// SPDX-License-Identifier: MIT
/* CPUID for code that is pure: the caller brings it. */
#pragma once

#include <stdint.h>

/* Runs CPUID: regs is EAX, EBX, ECX, EDX. */
typedef void cpuid_fn(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);
