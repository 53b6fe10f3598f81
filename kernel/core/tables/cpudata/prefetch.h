// SPDX-License-Identifier: MIT
/*
 * The register that turns a CPU's hardware prefetchers off, where it is documented: Intel's
 * MSR_MISC_FEATURE_CONTROL, later MSR_PREFETCH_CONTROL, by model (SDM vol. 4, 1A4H; "Disclosure of
 * Hardware Prefetcher Control on Some Intel Processors"), and AMD's, by CPUID (APM vol. 3, E.4.22:
 * Fn8000_0021; PPR of family 19h, MSRC000_0108). Siblings share it.
 */
#pragma once

#include <stdint.h>

#include "cpudata/cpu_kind.h"

struct prefetch_control {
    uint32_t msr; /* 0: none is known, and none must be touched */
    uint64_t off; /* the bits that turn prefetchers off: of the first and second caches */
};

/*
 * On the CPU that is asked: those of a hybrid machine differ. None is known under a hypervisor,
 * which may have no such register whatever CPU it shows.
 */
struct prefetch_control prefetch_control_find(cpuid_fn *cpuid, void *ctx);
