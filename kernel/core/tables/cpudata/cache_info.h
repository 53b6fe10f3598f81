// SPDX-License-Identifier: MIT
/*
 * The caches of a CPU, as CPUID reports them: leaf 4 (Intel SDM vol. 2A, "CPUID"), leaf 0x8000001D
 * (AMD APM vol. 3, E.4.15), and where neither reports any the descriptors of leaf 2 or the sizes
 * in leaves 0x80000005 and 0x80000006. CPUID is a callback, so any CPU, or a made-up one, can be
 * read.
 *
 * The CPUs of a machine may differ: an answer holds for the CPU that ran CPUID.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpudata/cache.h"
#include "cpudata/cpuid_fn.h"
#include "lib/status.h"

/* STATUS_NOT_FOUND: CPUID reports no cache. Impossible entries are left out. */
enum status cache_info_read(cpuid_fn *cpuid, void *ctx, struct cache_info *ret_info);

/* The data or unified cache of a level, the larger if it has two; NULL: there is none. */
const struct cache *cache_of_level(const struct cache_info *info, uint32_t level);

/* The last data or unified cache before memory; NULL: there is none. */
const struct cache *cache_last_level(const struct cache_info *info);

/*
 * The bytes of all such caches that the CPUs with these APIC ids have, each counted once: those
 * whose ids are equal but for the low bits that `shared_by` takes share one (SDM vol. 3A, 9.9.4;
 * APM vol. 3, E.4.15). Where CPUID does not say who shares it this counts too much, never too
 * little.
 */
uint64_t cache_total_bytes(const struct cache *cache, const uint32_t *apic_ids, size_t n_cpus);
