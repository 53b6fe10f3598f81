// SPDX-License-Identifier: MIT
/*
 * The arrays and chains of a measurement in the memory under test, whose content is lost. Boot CPU
 * only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/span.h"
#include "measure/sites.h"

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

/* The address `offset` bytes into array number i. */
uint64_t arrays_phys(const struct arrays *arrays, uint32_t i, uint64_t offset);

/*
 * The best part of tested memory for a chain: in huge pages if possible. No page of it
 * shares cells with okram's own.
 */
struct span arrays_chain_in(const struct bench *bench, struct span memory, uint64_t bytes);
