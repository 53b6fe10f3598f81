// SPDX-License-Identifier: MIT
/*
 * Where measurements take place: the CPUs in use and the tested memory of each node, and how large
 * arrays in it have to be. Nodes are indices into machine.nodes. Boot CPU only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "acpi/madt.h"
#include "cpudata/cache_info.h"
#include "lib/span.h"
#include "plan/share.h"

#define SITES_CPUS_MAX (MADT_CPUS_MAX + 1)

/* No such node. */
#define SITES_NONE UINT32_MAX

/* The numbers of the chosen CPUs of a node; ret_cpus has SITES_CPUS_MAX places. Returns how many.
 */
uint32_t sites_cpus(uint32_t node, uint32_t *ret_cpus);

/*
 * Of n CPUs, 1 or more, the one that measures alone: the first that is not the boot CPU, which has
 * the screen and the keys to look after; the boot CPU when there is no other.
 */
uint32_t sites_one_cpu(const uint32_t *cpus, uint32_t n);

/* With less, there are not some lines for each CPU there may be. */
#define SITES_MEMORY_MIN (UINT64_C(1) << 20)

/*
 * The longest span of tested memory of a node, whole lines; of size 0 when none has as much as
 * SITES_MEMORY_MIN: such a node counts as one without tested memory.
 */
struct span sites_memory(const struct shares *shares, uint32_t node);

/* The part number `part` of n even parts of a span, whole lines; the remainder at the end is left
 * over. */
struct span sites_part(struct span s, uint32_t n, uint32_t part);

/*
 * The node with tested memory that is nearest to `node`, which may be itself, by the SLIT, the
 * lower number first; `except` is passed over. SITES_NONE: there is none.
 */
uint32_t sites_nearest_memory(const struct shares *shares, uint32_t node, uint32_t except);

/* The number that firmware gave a node. */
uint32_t sites_domain(uint32_t node);

/* The first node that has both chosen CPUs and tested memory, else any with CPUs. */
uint32_t sites_first_node(const struct shares *shares);

/* The caches of a CPU as its own CPUID reports them; none when it reports nothing. */
struct cache_info sites_caches(uint32_t cpu);

/* What the last-level caches of n CPUs may hold in all; 0: unknown. */
uint64_t sites_cache_bytes(const uint32_t *cpus, uint32_t n);

/*
 * Bytes for each of n_arrays in memory of `bytes`, so that the caches of these CPUs do not answer
 * for memory (bandwidth/sizing.h). Where there is memory, but not enough for it, warns, once in a
 * run.
 */
uint64_t sites_array_bytes(const uint32_t *cpus, uint32_t n, uint64_t bytes, uint32_t n_arrays);

/* Like sites_array_bytes, for arrays that only make a load: without a warning. */
uint64_t sites_load_bytes(const uint32_t *cpus, uint32_t n, uint64_t bytes, uint32_t n_arrays);
