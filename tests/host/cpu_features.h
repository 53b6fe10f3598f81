// SPDX-License-Identifier: MIT
/* What __builtin_cpu_supports of clang 14 does not know. */
#pragma once

#include <stdbool.h>

#include "io/cpuid.h"

/* CLFLUSHOPT (Intel SDM vol. 2A, CPUID, leaf 7: EBX, bit 23). */
static inline bool host_has_clflushopt(void)
{
    return cpuid(0, 0).eax >= 7 && cpuid(7, 0).ebx >> 23 & 1;
}
