// SPDX-License-Identifier: MIT
/*
 * The cells of a fault in terms of DRAM: what of a place has to be so, and which data pins and
 * beats of a burst. A row is all fields and a row number; a data pin is a rank and a pin.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "dram.h"

#define DRAM_LINE_BYTES 64
#define DRAM_LINE_WORDS 8
#define DRAM_BEAT_ALL   UINT32_MAX

struct dram_fault {
    const struct published_map *map;
    struct published_place at;
    uint32_t fields; /* bit f: field f has to be as in `at` */
    uint32_t first_row, n_rows;
    bool any_column;      /* else it has to be in the line of at.column */
    uint32_t pin, n_pins; /* of the channel or subchannel */
    uint32_t beat;        /* of a line's burst, or DRAM_BEAT_ALL */
    uint32_t one_in;      /* one in how many of these cells, at random; 1: all */
    uint64_t seed;        /* of that */
};

/* The bits of a line that are faulty. False: none. */
bool dram_fault_bits(const struct dram_fault *f, uint64_t line, uint64_t ret[DRAM_LINE_WORDS]);

/* How many lines may have such bits, and the address of number n, in order of their places. */
uint64_t dram_fault_lines(const struct dram_fault *f);
uint64_t dram_fault_line(const struct dram_fault *f, uint64_t n);
