// SPDX-License-Identifier: MIT
#include "cpudata/side_cache.h"

#include <stddef.h>

#include "lib/minmax.h"

#define MIB (UINT64_C(1) << 20)

static const struct {
    uint32_t family, model;
    uint64_t bytes;
} intel[] = {
    { 6, 0xbd, 8 * MIB }, /* Lunar Lake */
    { 6, 0xcc, 8 * MIB }, /* Panther Lake */
};

static uint64_t largest_in(const struct hmat *hmat)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < hmat->n_caches; i++)
        bytes = max_u64(bytes, hmat->cache[i].size_bytes);
    return bytes;
}

static uint64_t bytes_of(struct cpu_model cpu)
{
    for (size_t i = 0; i < sizeof(intel) / sizeof(intel[0]); i++) {
        if (cpu.vendor == CPU_VENDOR_INTEL && cpu.family == intel[i].family &&
            cpu.model == intel[i].model)
            return intel[i].bytes;
    }
    return 0;
}

struct side_cache side_cache_find(const struct hmat *hmat, struct cpu_model cpu)
{
    uint64_t by_hmat = largest_in(hmat), by_cpu = bytes_of(cpu);

    if (by_hmat)
        return (struct side_cache){ by_hmat, "hmat" };
    return (struct side_cache){ by_cpu, by_cpu ? "cpu" : NULL };
}
