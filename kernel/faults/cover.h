/*
 * The BadRAM cover: few address/mask patterns that cover every bad page and few good ones.
 *
 * A pattern (addr, mask) covers x when ((x ^ addr) & mask) == 0: Rick van Rein's BadRAM. Patterns
 * are page-granular: the mask's bits 0-11 are clear, and so are bits 52-63, because GRUB up to 2.14
 * never leaves its search loop when they are set.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"

#define COVER_PATTERNS_MAX 512
#define PATTERN_MASK_BITS  UINT64_C(0x000ffffffffff000)

struct pattern {
    uint64_t addr; /* addr == (addr & mask) */
    uint64_t mask;
};

struct cover {
    struct pattern pattern[COVER_PATTERNS_MAX]; /* by address, ascending */
    size_t n_patterns;
    uint64_t sacrificed_pages; /* RAM pages covered, bad ones included */
    uint64_t ranges;           /* contiguous runs of covered RAM: GRUB makes a map entry of each */
};
