// SPDX-License-Identifier: MIT
#include "bandwidth/sizing.h"

#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/span.h"

uint64_t sizing_array_bytes(uint64_t cache_bytes, uint64_t available_bytes, uint32_t n_arrays)
{
    uint64_t most, want;

    ASSERT(n_arrays > 0);
    most = align_down(available_bytes / n_arrays, LINE_SIZE);
    if (cache_bytes >= most / SIZING_CACHE_FACTOR)
        return most;
    want = align_up(cache_bytes * SIZING_CACHE_FACTOR, LINE_SIZE);
    if (want < SIZING_ARRAY_MIN_BYTES)
        want = SIZING_ARRAY_MIN_BYTES;
    return min_u64(want, most);
}

struct sizing_part sizing_part(uint64_t array_bytes, uint32_t n_cpus, uint32_t cpu)
{
    uint64_t lines = array_bytes / LINE_SIZE;
    uint64_t each, more, first;

    ASSERT(cpu < n_cpus && array_bytes % LINE_SIZE == 0);
    each = lines / n_cpus;
    more = lines % n_cpus; /* the first CPUs take one line more */
    first = cpu * each + min_u64(cpu, more);
    return (struct sizing_part){
        .offset = first * LINE_SIZE,
        .bytes = (each + (cpu < more)) * LINE_SIZE,
    };
}

uint32_t sizing_iterations(uint64_t first, uint64_t target)
{
    uint64_t n;

    if (first == 0)
        return SIZING_ITERATIONS_MAX;
    n = target / first + (target % first > first / 2);
    if (n < 1)
        return 1;
    return n < SIZING_ITERATIONS_MAX ? (uint32_t)n : SIZING_ITERATIONS_MAX;
}
