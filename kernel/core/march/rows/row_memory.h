// SPDX-License-Identifier: MIT
/* Memory that pairs of addresses are taken from, to be timed: ranges, with holes between them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"

#define ROW_SPANS_MAX 1024

/* About 24 KiB. All zero: empty. */
struct row_memory {
    struct span span[ROW_SPANS_MAX];
    uint64_t lines_before[ROW_SPANS_MAX]; /* in all spans below */
    uint64_t lines;
    size_t n;
};

/* Adds whole lines above all that there is; merges neighbours; drops what does not fit. */
void row_memory_add(struct row_memory *memory, struct span span);

/* Any line of it; it has some. */
uint64_t row_memory_any_line(const struct row_memory *memory, uint64_t *random);

/* How many bits a linear address (rows/row_map.h) of the memory has, at most; 0: no memory. What is
 * above a power of two, and up to half as much again, is left out: that may be the part that
 * Intel's controllers remap from below 4 GiB. */
unsigned row_memory_bits(const struct row_memory *memory, uint64_t hole);

/* The bits in which linear addresses of lines differ. A node's memory may have others in common. */
uint64_t row_memory_differing(const struct row_memory *memory, uint64_t hole);

/*
 * Two lines, at random, whose linear addresses have up to `bits` bits and differ in `difference`.
 * False: none was found in some hundred tries.
 */
bool row_memory_pair(const struct row_memory *memory, uint64_t hole, unsigned bits,
                     uint64_t difference, uint64_t *random, uint64_t ret_phys[2]);
