// SPDX-License-Identifier: MIT
/*
 * How CPUs reported their caches before leaf 4 and 0x8000001D: for cache_info alone. Sharing is not
 * reported. At most CACHES_MAX entries are added, to an empty info.
 */
#pragma once

#include "cpudata/cache.h"
#include "cpudata/cpuid_fn.h"

/* Leaf 2: a byte a cache (Intel SDM vol. 2A, "CPUID", table of descriptors). */
void cache_legacy_descriptors(cpuid_fn *cpuid, void *ctx, struct cache_info *info);

/* Leaves 0x80000005 and 0x80000006 (AMD APM vol. 3, E.4.4); Intel reports the L2 there. */
void cache_legacy_sizes(cpuid_fn *cpuid, void *ctx, struct cache_info *info);
