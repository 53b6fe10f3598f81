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
 * The folder: stream.h, redundant.h, load.h and chase.h are what a CPU does while it is measured;
 * sizing.h, curve.h and scaling_order.h choose sizes and CPUs; stats.h sums up runs. cache_info.h
 * and cpu_kind.h read CPUID.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
 * lines, and arrays do not overlap. Loops do not fence: the caller of one that stores ends with
 * stream_fence().
 */
struct stream_ops {
    const char *name;                                   /* "sse2", "avx2" */
    uint64_t (*read)(const double *from, size_t bytes); /* xor of all 64-bit words */
    void (*write)(double *to, double value, size_t bytes);
    void (*copy)(double *to, const double *from, size_t bytes);
    void (*scale)(double *to, const double *from, double factor, size_t bytes);
    void (*add)(double *to, const double *x, const double *y, size_t bytes);
    void (*triad)(double *to, const double *x, const double *y, double factor, size_t bytes);

    /* What redundant_write does (bandwidth/redundant.h). */
    void (*write_plain)(double *data, double value, size_t bytes);
    void (*write_mirror)(double *data, double *mirror, double value, size_t bytes);
    void (*write_parity)(double *data, double *parity, double value, size_t bytes);
};

extern const struct stream_ops stream_sse2;
extern const struct stream_ops stream_avx2;

/* All stores before it are seen by all before any after it. */
void stream_fence(void);

/* has_avx2: the CPU has it and its state is switched on in XCR0. */
const struct stream_ops *stream_ops_choose(bool has_avx2);

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
