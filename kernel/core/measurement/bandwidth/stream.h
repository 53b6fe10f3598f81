// SPDX-License-Identifier: MIT
/*
 * Streaming over memory: okram's read and write, and the four loops of STREAM (J. D. McCalpin,
 * "Memory Bandwidth and Machine Balance in Current High Performance Computers", 1995), under
 * STREAM's names:
 *
 *   read   xor of a       write  a = 1
 *   copy   c = a          scale  b = 3 c          add  c = a + b          triad  a = b + 3 c
 *
 * Stores are non-temporal and fill whole lines, so no line is read before it is written, and what
 * counts is what STREAM counts: the bytes the loop names, each written byte once. One array for
 * read and write, two for copy and scale, three for add and triad.
 *
 * Every instruction set gives the same results, bit for bit.
 *
 * The folder: stream.h (also a load that can be turned down, and redundant writes) and chase.h are
 * what a CPU does while it is measured, sizing.h is the arithmetic.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/line_ops.h"

enum stream_op {
    STREAM_READ,
    STREAM_WRITE,
    STREAM_COPY,
    STREAM_SCALE,
    STREAM_ADD,
    STREAM_TRIAD,
    STREAM_OPS,
};

#define STREAM_SCALAR 3.0

/*
 * The loops on one instruction set. Pointers are aligned to lines, bytes is a whole number of
 * lines, and arrays do not overlap. Loops do not fence: the caller of one that stores does.
 */
struct stream_ops {
    const char *name;                                   /* "sse2", "avx2", "avx512" */
    uint64_t (*read)(const double *from, size_t bytes); /* xor of all 64-bit words */
    void (*write)(double *to, double value, size_t bytes);
    void (*copy)(double *to, const double *from, size_t bytes);
    void (*scale)(double *to, const double *from, double factor, size_t bytes);
    void (*add)(double *to, const double *x, const double *y, size_t bytes);
    void (*triad)(double *to, const double *x, const double *y, double factor, size_t bytes);

    /* What redundant_write does. */
    void (*write_plain)(double *data, double value, size_t bytes);
    void (*write_mirror)(double *data, double *mirror, double value, size_t bytes);
    void (*write_parity)(double *data, double *parity, double value, size_t bytes);
};

extern const struct stream_ops stream_sse2, stream_avx2, stream_avx512;

/*
 * The loops of that name, the widest when name is NULL, of the features that every CPU has and has
 * switched on in XCR0. NULL: there are none of that name.
 */
const struct stream_ops *stream_ops_choose(struct line_features features, const char *name);

/* One CPU's part of STREAM's arrays; those that an op does not name may be NULL. */
struct stream_arrays {
    double *a, *b, *c;
};

/* STREAM's start: a = 1, b = 2, c = 0 in the arrays that are there; all CPUs see it. */
void stream_init(const struct stream_ops *ops, const struct stream_arrays *arrays, size_t bytes);

/*
 * Does op once over `bytes` of each array it names; all CPUs see what it stored. Returns the read's
 * result, and 0 for others.
 */
uint64_t stream_run(const struct stream_ops *ops, enum stream_op op,
                    const struct stream_arrays *arrays, size_t bytes);

/* "read", "write", "copy", "scale", "add", "triad". */
const char *stream_op_name(enum stream_op op);

/* How many arrays op moves: 1, 2 or 3. read and write name a; copy a and c; scale b and c. */
uint32_t stream_op_arrays(enum stream_op op);

/* What one stream_run counts as moved. */
uint64_t stream_bytes(enum stream_op op, uint64_t array_bytes);

/*
 * A load on memory that can be turned down, for the curve of latency against the bandwidth that
 * others take meanwhile (the "loaded latency" of Intel's Memory Latency Checker). A CPU that makes
 * the load moves a few lines, waits, and goes on; how long it waits sets how much it moves.
 */
enum load_mix {
    LOAD_READS,  /* reads a */
    LOAD_3_TO_1, /* as 2:1 for two lines of three, and reads the third of a and of b */
    LOAD_2_TO_1, /* c = a + b: one line is written, non-temporally, for every two read */
    LOAD_1_TO_1, /* c = a */
    LOAD_WRITES, /* writes a, non-temporally */
    LOAD_MIXES,
};

/* "reads", "3:1", "2:1", "1:1" (reads to writes), "writes". */
const char *load_mix_name(enum load_mix mix);

/* Lines of each array that move between two waits. */
#define LOAD_LINES 12

/* Levels of the curve. */
#define LOAD_LEVELS 12

/* The wait of a level, for load_run: none at level 0, which is the most load, then growing. */
uint32_t load_pause(uint32_t level);

struct load {
    enum load_mix mix;
    uint32_t pause;
};

/*
 * Goes once over `bytes`, whole lines, of the three arrays, with `pause` rounds of an empty loop,
 * about a cycle each, after every LOAD_LINES lines. All CPUs see what it stored. Returns the bytes
 * moved, as STREAM counts.
 */
uint64_t load_run(const struct stream_ops *ops, const struct load *load,
                  const struct stream_arrays *arrays, size_t bytes);

/*
 * What keeping data redundantly costs: the same lines written once, twice (as memory mirroring
 * does), or with parity: for every REDUNDANCY_GROUP lines of data one more that is their XOR. Where
 * the other copy or the parity goes is the caller's choice: on the same node or on another.
 *
 * Each word of the data's line i holds value + i, so lines differ and their XOR is worth something.
 * All stores are non-temporal and fill whole lines.
 */
enum redundancy { REDUNDANCY_NONE, REDUNDANCY_MIRROR, REDUNDANCY_PARITY, REDUNDANCY_KINDS };

/* Lines of data to a line of parity; the last group may have fewer. */
#define REDUNDANCY_GROUP 4

/* "plain", "mirror", "parity". */
const char *redundancy_name(enum redundancy kind);

/* What is written besides data_bytes of data, which are whole lines: none, as much, a quarter. */
uint64_t redundancy_other_bytes(enum redundancy kind, uint64_t data_bytes);

/*
 * What is written: `bytes` of data, and to `other` what makes them redundant. Both are aligned to
 * lines and do not overlap; bytes is a whole number of lines; `other` may be NULL for
 * REDUNDANCY_NONE.
 */
struct redundant {
    enum redundancy kind;
    double *data, *other;
    size_t bytes;
};

/* All CPUs see it. */
void redundant_write(const struct stream_ops *ops, const struct redundant *to, double value);
