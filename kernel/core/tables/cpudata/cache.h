// SPDX-License-Identifier: MIT
/* What CPUID reports of a CPU's caches. */
#pragma once

#include <stddef.h>
#include <stdint.h>

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
