// SPDX-License-Identifier: MIT
/*
 * A machine's memory with one fault, of which only some lines are kept: those that the fault is in,
 * or, of a large fault, the first of each CPU's share and others at random. All other memory is
 * good and would be found so.
 *
 * Time passes with the sweeps, at 20 GB/s. Half of the machines scramble: what the cells hold is
 * the data XOR a number that depends on the address, as DDR4 and DDR5 controllers do.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kind/kind.h"
#include "rows/row_map.h"
#include "sweep/data.h"
#include "tools/plugin/dram_fault.h"

#define FAULTY_LINES_MAX 4096
#define FAULTY_CELLS_MAX 128
#define FAULTY_SHARES    4 /* CPUs */
#define SWEEP_MB_S       20000.0

struct faulty_line {
    uint64_t phys;
    uint64_t rank;    /* in the order of an upward sweep: place within the share, then share */
    double part;      /* of its share that is before it */
    struct line held; /* by the cells, scrambled */
    struct line mask, stuck; /* of the mask's bits: what they are stuck at */
    uint64_t reached;        /* the address of the line whose cells it reaches: most its own */
    uint32_t reaches;        /* that line */
};

enum cell_what {
    CELL_STUCK,      /* at value */
    CELL_TRANSITION, /* a write to value fails */
    CELL_LAPSE,      /* one write in one_in stores the opposite */
    CELL_MISREAD,    /* one read in one_in gives the opposite */
    CELL_FADES,      /* loses value when it is not accessed for hold_s */
    CELL_INVERTED,   /* by a change of the aggressor from !edge to edge */
    CELL_SET,        /* to value, by the same */
    CELL_STATE,      /* at value, while the aggressor holds edge */
};

struct faulty_cell {
    enum cell_what what;
    uint64_t phys, aggressor_phys; /* of their lines, which are found by them */
    uint32_t line, bit;            /* of 512 */
    bool value, edge;
    uint32_t aggressor_line, aggressor_bit;
    uint32_t one_in;
    double hold_s, touched_s;
};

/* Between the addresses of a map and physical ones, which are then not linear over GF(2). */
struct faulty_layout {
    const char *name;
    uint64_t hole;       /* below 4 GiB: addresses above are counted without it */
    bool three_channels; /* which take turns, each with memory of the map's size */
};

struct faulty {
    enum kind truth;
    const struct published_map *map;
    const struct faulty_layout *layout;
    unsigned channel;    /* of three, that the fault is in */
    uint64_t turn_bytes; /* of one channel, until the next of three has its turn */
    uint32_t n_rows;     /* next to each other; 0: the fault is not of rows */
    bool scrambles, knows_bus;
    uint64_t seed, random;                     /* random: a state */
    struct faulty_line line[FAULTY_LINES_MAX]; /* by rank */
    size_t n_lines;
    uint32_t noise_one_in; /* of reads of a line with a mask; 0: the mask's bits are stuck */
    struct faulty_cell cell[FAULTY_CELLS_MAX];
    size_t n_cells;
    double errors;    /* of all memory in a pass, of any line at random */
    bool whole_lines; /* these are random data */
    double now_s;
};

extern const struct faulty_layout faulty_layouts[];
extern const size_t faulty_n_layouts;

/* Number n of the faults that a seed stands for. */
void faulty_make(struct faulty *f, uint64_t seed, uint32_t n);

void faulty_write(struct faulty *f, size_t line, const struct line *data);
struct line faulty_read(struct faulty *f, size_t line);

/* Whether a random event happens: with this probability. */
bool faulty_chance(struct faulty *f, double part);

/* Bytes of all channels, and the physical address of one of these bytes. */
static inline uint64_t faulty_bytes(const struct faulty *f)
{
    return (UINT64_C(1) << f->map->bits) * (f->layout->three_channels ? 3 : 1);
}

static inline uint64_t faulty_phys(const struct faulty *f, uint64_t linear)
{
    return row_map_phys(f->layout->hole, linear);
}
