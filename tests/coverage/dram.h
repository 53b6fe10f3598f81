// SPDX-License-Identifier: MIT
/*
 * Memory as DRAM cells, some of them faulty: the model of what is behind the pins. A line of 64
 * bytes is written and read as one; each fault is one of the ways in which the bits of such lines
 * fail. What the caches do before is in coverage/cache.h.
 *
 * Between pins and cells may be what memory controllers put there: a scrambler, or encryption. Then
 * cells hold something else than what was written, and faults are of what they hold.
 *
 * Every bit is the victim of one fault at most, or of two linked ones, and no victim is an
 * aggressor, so that others do not disturb them: one run of a test shows of all of them which it
 * detects.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sweep/data.h"
#include "tests/coverage/primitive.h"

#define LINE_BITS 512

struct bit_place {
    uint32_t line;
    uint32_t bit;
};

enum fault_kind {
    FAULT_PRIMITIVE,
    FAULT_STUCK_OPEN, /* no cell: a read gives what the sense amplifier has from the read before */
    FAULT_FADE,       /* loses the value `loses` in a pause of fade_ms */
    FAULT_LEAK,       /* the same, but only while its neighbours hold certain values */
};

struct fault {
    enum fault_kind kind;
    struct primitive primitive;
    struct bit_place aggressor, victim;
    bool loses;
    uint32_t fade_ms;
    struct bit_place neighbour[2]; /* FAULT_LEAK: no victims */
    bool neighbour_holds[2];
    uint32_t next_of_victim, next_of_aggressor; /* the model's: in the same line */
    bool begins;                                /* the model's: by what is done to the aggressor */
};

/*
 * What a line's address reaches: no cells, its own, others', or two lines of cells, which a write
 * sets both and a read gives joined (van de Goor, "Testing Semiconductor Memories", 1991, faults of
 * the address decoder).
 */
struct reach {
    uint32_t n_cells;
    uint32_t cell[2];
    bool joined_by_or;  /* else by AND */
    bool floats_to_one; /* without cells: what a read gives */
};

/* What cells hold of a line; it depends on the address that it was written to. */
enum dram_coding {
    DRAM_PLAIN,
    DRAM_SCRAMBLED, /* XOR with a random line: still the complement of what w1 writes is w0's */
    DRAM_ENCRYPTED, /* a permutation of each block of 16 bytes: tools/plugin/permutation.h */
};

struct dram {
    enum dram_coding coding; /* DRAM_PLAIN, unless it is set before the first write */
    uint32_t n_lines, n_faults, max_faults;
    struct line *cell;
    struct reach *reach;                            /* of each address */
    uint32_t *first_of_victim, *first_of_aggressor; /* of each line: the first of its faults */
    struct fault *fault;
    struct line sense; /* the last line read */
};

/* All cells 0, no faults. The memory is the model's until dram_free. */
void dram_make(struct dram *d, uint32_t n_lines, uint32_t max_faults);
void dram_free(struct dram *d);

/* The links of fault are set here. Its number: from 0 on. */
uint32_t dram_add(struct dram *d, struct fault fault);

static inline bool line_bit(const struct line *line, uint32_t bit)
{
    return line->word[bit / 64] >> bit % 64 & 1;
}

static inline void line_set_bit(struct line *line, uint32_t bit, bool value)
{
    uint64_t mask = UINT64_C(1) << bit % 64;

    line->word[bit / 64] = value ? line->word[bit / 64] | mask : line->word[bit / 64] & ~mask;
}

/* Gives a cell a value at power on. Faults that are states then show: call dram_settle after. */
void dram_preset(struct dram *d, struct bit_place place, bool value);
void dram_settle(struct dram *d);

/* What cells hold after a write of data to this address. */
struct line dram_encode(const struct dram *d, uint32_t line, const struct line *data);

/* The operations, in front of the coding. line is an address, in lines. */
void dram_write(struct dram *d, uint32_t line, const struct line *data);
struct line dram_read(struct dram *d, uint32_t line);
void dram_pause(struct dram *d, uint32_t ms);
