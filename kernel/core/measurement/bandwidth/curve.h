// SPDX-License-Identifier: MIT
/*
 * Sizes of latency measurements: the curve of latency over growing chains (lmbench's
 * lat_mem_rd), and the arrays that measure one level of cache or memory alone.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpudata/cache_info.h"

/* The least size of the curve: first-level caches hold it. */
#define CURVE_MIN_BYTES (UINT64_C(16) << 10)

/* The most sizes there can be: two for each doubling up to 2^64. */
#define CURVE_SIZES_MAX 100

/*
 * The sizes of the curve: every 2^k and 1.5 * 2^k bytes from CURVE_MIN_BYTES up to max_bytes,
 * growing. At most `max` are written, the smallest ones. Returns how many: 0 if max_bytes is less
 * than the least size.
 */
size_t curve_sizes(uint64_t max_bytes, uint64_t *ret_bytes, size_t max);

/* As the level of curve_cache_bytes: beyond all caches. */
#define CURVE_MEMORY 0

/*
 * The bytes of an array that measures the data or unified cache of `level`, as one CPU sees it, by
 * going over it again and again: half of the cache, or more (three quarters at most) if the cache
 * of the level before would hold much of that; whole lines. 0: there is no such cache.
 *
 * CURVE_MEMORY: SIZING_CACHE_FACTOR times the last level, and at least SIZING_ARRAY_MIN_BYTES.
 */
uint64_t curve_cache_bytes(const struct cache_info *info, uint32_t level);
