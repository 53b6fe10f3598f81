// SPDX-License-Identifier: MIT
#include "bandwidth/curve.h"

#include "bandwidth/sizing.h"
#include "lib/minmax.h"
#include "lib/span.h"

size_t curve_sizes(uint64_t max_bytes, uint64_t *ret_bytes, size_t max)
{
    size_t n = 0;

    for (uint64_t power = CURVE_MIN_BYTES; power && power <= max_bytes; power *= 2) {
        if (n < max)
            ret_bytes[n++] = power;
        if (n < max && power / 2 <= max_bytes - power)
            ret_bytes[n++] = power + power / 2;
    }
    return n;
}

static uint64_t memory_bytes(const struct cache_info *info)
{
    const struct cache *last = cache_last_level(info);

    return sizing_array_bytes(last ? last->size_bytes : 0, UINT64_MAX, 1);
}

uint64_t curve_cache_bytes(const struct cache_info *info, uint32_t level)
{
    const struct cache *cache, *before;
    uint64_t bytes, most;

    if (level == CURVE_MEMORY)
        return memory_bytes(info);
    cache = cache_of_level(info, level);
    if (!cache)
        return 0;
    before = cache_of_level(info, level - 1);
    bytes = cache->size_bytes / 2;
    most = cache->size_bytes / 4 * 3;
    if (before && bytes < 2 * before->size_bytes)
        bytes = min_u64(2 * before->size_bytes, most);
    return align_down(bytes, LINE_SIZE);
}
