// SPDX-License-Identifier: MIT
/* A physical range. Base and size: the last byte of the address space needs no special case. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/minmax.h"

#define PAGE_SHIFT 12
#define PAGE_SIZE  (UINT64_C(1) << PAGE_SHIFT)
#define LINE_SIZE  UINT64_C(64)

struct span {
    uint64_t base;
    uint64_t size;
};

static inline uint64_t span_end(struct span s)
{
    return s.base + s.size;
}

static inline bool span_contains(struct span s, uint64_t addr)
{
    return addr - s.base < s.size;
}

/* The part of both; size 0 when they do not meet. */
static inline struct span span_intersect(struct span a, struct span b)
{
    struct span low = a.base <= b.base ? a : b, high = a.base <= b.base ? b : a;
    uint64_t left = high.base - low.base < low.size ? low.size - (high.base - low.base) : 0;

    return (struct span){ .base = high.base, .size = min_u64(left, high.size) };
}

static inline uint64_t align_down(uint64_t x, uint64_t unit)
{
    return x & ~(unit - 1);
}

static inline uint64_t align_up(uint64_t x, uint64_t unit)
{
    return align_down(x + unit - 1, unit);
}

/* The pages that are wholly within s; size 0: there is none. */
static inline struct span span_whole_pages(struct span s)
{
    uint64_t base = align_up(s.base, PAGE_SIZE), end = align_down(span_end(s), PAGE_SIZE);

    return (struct span){ base, end > base ? end - base : 0 };
}
