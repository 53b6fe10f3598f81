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

#include "acpi/hmat.h"
#include "cpudata/cpu_kind.h"
#include "lib/status.h"

/* As leaves 4 and 0x8000001D number them. */
enum cache_kind { CACHE_DATA = 1, CACHE_INSTRUCTION = 2, CACHE_UNIFIED = 3 };

struct cache {
    uint32_t level; /* 1 is nearest to the CPU */
    enum cache_kind kind;
    uint32_t shared_by; /* logical CPUs that share one, at most; 1 where CPUID does not say */
    uint64_t size_bytes;
};

#define CACHES_MAX 8

struct cache_info {
    struct cache cache[CACHES_MAX]; /* in CPUID's order; instruction caches from leaf 4 on only */
    size_t n_caches;
};

/* STATUS_NOT_FOUND: CPUID reports no cache. Impossible entries are left out. */
enum status cache_info_read(cpuid_fn *cpuid, void *ctx, struct cache_info *ret_info);

/* The data or unified cache of a level, the larger if it has two; NULL: there is none. */
const struct cache *cache_of_level(const struct cache_info *info, uint32_t level);

/* The last data or unified cache before memory; NULL: there is none. */
const struct cache *cache_last_level(const struct cache_info *info);

/*
 * The bytes of all such caches that the CPUs with these APIC ids have, each counted once: those
 * whose ids are equal but for the low bits that `shared_by` takes share one (SDM vol. 3A, 9.9.4;
 * APM vol. 3, E.4.15). Where CPUID does not report which CPUs share it, this counts too
 * much, never too little.
 */
uint64_t cache_total_bytes(const struct cache *cache, const uint32_t *apic_ids, size_t n_cpus);

/*
 * Memory-side caches: between the memory controller's input and the memory, whatever accesses
 * it. Software can neither address nor flush them (Linux, admin-guide/mm/numaperf.rst): CLFLUSH
 * ends at the cache coherence domain of the CPUs, WBINVD at the processor's own caches, from which
 * it only signals to others that it does not wait for (Intel SDM vol. 2, CLFLUSH and WBINVD). So
 * what they hold reaches DRAM when other lines take its place, and not before.
 *
 * Firmware describes them in the HMAT (ACPI 6.5, 5.2.28.5): DRAM in front of Optane (Memory Mode),
 * HBM in front of DRAM. Of small ones in the processor it says nothing; these are known by model:
 *
 *     Lunar Lake     8 MiB   C. Lam, "Lion Cove: Intel's P-Core Roars", Chips and Cheese 2024
 *     Panther Lake   8 MiB   G. Cozma, "Panther Lake's Reveal at ITT 2025", Chips and Cheese 2025
 *
 * (models: Linux, arch/x86/include/asm/intel-family.h). On both all CPU cores go through it. How
 * much of it they may fill is not public. Not known here: eDRAM behind the system agent (some
 * Skylake to Coffee Lake), which the CPU does not report.
 */
struct side_cache {
    uint64_t bytes; /* of the largest; 0: none is known */
    const char *by; /* the source, "hmat" or "cpu", as in JSON; NULL: none */
};

/* hmat: all zeros if there is none. Its word comes first. */
struct side_cache side_cache_find(const struct hmat *hmat, struct cpu_model cpu);
