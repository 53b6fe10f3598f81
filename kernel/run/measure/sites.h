// SPDX-License-Identifier: MIT
/*
 * Where measurements take place: the CPUs in use and the tested memory of each node, and the arrays
 * and chains in it, whose content is lost. Nodes are indices into machine.nodes. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "acpi/madt.h"
#include "cpudata/cache_info.h"
#include "cpus/cpu_pool.h"
#include "lib/span.h"
#include "plan/share.h"

#define SITES_CPUS_MAX (MADT_CPUS_MAX + 1)

/* What all measurements take. */
struct bench {
    const struct shares *shares; /* the memory */
    const struct cpu_poll *poll; /* the boot CPU's while others work, and between runs */
    uint32_t runs;               /* of each measurement */
    uint64_t run_us;             /* about how long a run lasts; 0: what the measurement says */
};

/* No such node. */
#define SITES_NONE UINT32_MAX

/*
 * The numbers of the chosen CPUs of a node; ret_cpus has room for SITES_CPUS_MAX. Returns how many.
 */
uint32_t sites_cpus(const struct bench *bench, uint32_t node, uint32_t *ret_cpus);

/*
 * Of n CPUs, 1 or more, the one that measures alone: the first that is not the boot CPU, which has
 * the screen and the keys to serve; the boot CPU if there is no other.
 */
uint32_t sites_one_cpu(const uint32_t *cpus, uint32_t n);

/* Less would not have a few lines for each of the most CPUs. */
#define SITES_MEMORY_MIN (UINT64_C(1) << 20)

/*
 * The longest span of tested memory of a node, whole lines; size 0 if none has SITES_MEMORY_MIN:
 * such a node counts as one without tested memory.
 */
struct span sites_memory(const struct bench *bench, uint32_t node);

/* The first half of a span (0), or the second (1), whole lines; a remainder is not used. */
struct span sites_half(struct span s, uint32_t half);

/*
 * The node with tested memory that is nearest to `node`, which may be itself, by the SLIT, the
 * lower number first; never `except`. SITES_NONE: there is none.
 */
uint32_t sites_nearest_memory(const struct bench *bench, uint32_t node, uint32_t except);

/* The number that firmware gave a node. */
uint32_t sites_domain(uint32_t node);

/* The first node that has both chosen CPUs and tested memory, else any with CPUs. */
uint32_t sites_first_node(const struct bench *bench);

/* The caches of a CPU as its own CPUID reports them; none when it reports nothing. */
struct cache_info sites_caches(uint32_t cpu);

/*
 * Bytes for each of n_arrays in memory of `bytes`, so that memory is measured and not the caches of
 * these CPUs (bandwidth/sizing.h). Warns, once in a run, if there is memory, but not enough for
 * that.
 */
uint64_t sites_array_bytes(const uint32_t *cpus, uint32_t n, uint64_t bytes, uint32_t n_arrays);

/* Whether arrays of so many bytes are measured in caches of these CPUs, if only in part. */
bool sites_in_caches(const uint32_t *cpus, uint32_t n, uint64_t bytes);

/* Like sites_array_bytes, for three arrays that only make a load: without a warning. */
uint64_t sites_load_bytes(const uint32_t *cpus, uint32_t n, uint64_t bytes);

/* Up to three arrays of the same size, one after the other in a node's memory. */
struct arrays {
    uint64_t phys, bytes; /* of the first; of each */
    uint32_t n;
    bool in_caches; /* in part: sites_in_caches */
};

/*
 * n arrays of at most `bytes` each in a span of tested memory, whole lines; smaller ones if it does
 * not hold them. No page of them shares cells with okram's own (self/own_aliases.h).
 */
struct arrays arrays_in(const struct bench *bench, struct span memory, uint64_t bytes, uint32_t n);

/* The same, of a size for memory and not for the caches of these CPUs (sites_array_bytes). */
struct arrays arrays_of_memory(const struct bench *bench, const uint32_t *cpus, uint32_t n_cpus,
                               struct span memory, uint32_t n);

/*
 * The best part of tested memory for a chain: in huge pages if possible. No page of it
 * shares cells with okram's own.
 */
struct span arrays_chain_in(const struct bench *bench, struct span memory, uint64_t bytes);

/* The address `offset` bytes into array number i. */
uint64_t arrays_phys(const struct arrays *arrays, uint32_t i, uint64_t offset);
