// SPDX-License-Identifier: MIT
#include "measure/arrays.h"

#include "lib/minmax.h"
#include "plan/share.h"
#include "self/own_aliases.h"

/*
 * Between arrays, so that the same index in two of them differs in the low 12 bits of the address,
 * by which loads wait for stores, and in the bank of the memory.
 */
#define ARRAY_GAP_BYTES (21 * LINE_SIZE)

#define CHAIN_ALIGN (UINT64_C(2) << 20) /* a huge page */

static struct arrays place(struct span memory, uint64_t bytes, uint32_t n)
{
    uint64_t each = memory.size / n;
    uint64_t most = each > ARRAY_GAP_BYTES ? align_down(each - ARRAY_GAP_BYTES, LINE_SIZE) : 0;

    return (struct arrays){
        .phys = memory.base,
        .bytes = min_u64(bytes, most),
        .n = n,
    };
}

static struct span span_of(const struct arrays *arrays)
{
    uint64_t gaps = arrays->bytes ? (arrays->n - 1) * ARRAY_GAP_BYTES : 0;

    return (struct span){ arrays->phys, arrays->n * arrays->bytes + gaps };
}

struct arrays arrays_in(const struct bench *bench, struct span memory, uint64_t bytes, uint32_t n)
{
    struct arrays arrays;

    do
        arrays = place(share_longest_kept(bench->shares, memory), bytes, n);
    while (own_aliases_guard_span(bench->shares, span_of(&arrays), bench->poll));
    return arrays;
}

struct arrays arrays_of_memory(const struct bench *bench, const uint32_t *cpus, uint32_t n_cpus,
                               struct span memory, uint32_t n)
{
    uint64_t bytes = sites_array_bytes(cpus, n_cpus, memory.size, n);
    struct arrays arrays = arrays_in(bench, memory, bytes, n);

    arrays.in_caches = sites_in_caches(cpus, n_cpus, arrays.bytes);
    return arrays;
}

static struct span chain_in(struct span memory, uint64_t bytes)
{
    uint64_t skip = align_up(memory.base, CHAIN_ALIGN) - memory.base;

    if (skip < memory.size && memory.size - skip >= bytes)
        return (struct span){ memory.base + skip, bytes };
    return (struct span){ memory.base, min_u64(bytes, memory.size) };
}

struct span arrays_chain_in(const struct bench *bench, struct span memory, uint64_t bytes)
{
    struct span chain;

    do
        chain = chain_in(share_longest_kept(bench->shares, memory), bytes);
    while (own_aliases_guard_span(bench->shares, chain, bench->poll));
    return chain;
}

uint64_t arrays_phys(const struct arrays *arrays, uint32_t i, uint64_t offset)
{
    return arrays->phys + i * (arrays->bytes + ARRAY_GAP_BYTES) + offset;
}
