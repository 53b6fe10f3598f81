// SPDX-License-Identifier: MIT
/*
 * The sweep: one march element over one slice of memory.
 *
 * The folder: tests.h is the table of memory tests, march.h parses their notation, data.h is what
 * they write, order.h the order of CPUs and lanes. line_ops.h reads and writes lines, by
 * instruction set. block_move.h and hammer.h are tests that are not marches.
 *
 * The caller cuts memory into slices (sweep_next_slice; it looks at the stop key and the progress
 * in between), hands an element's slices to all CPUs, each CPU's in the element's direction, and
 * waits until all have done theirs before it starts the next element.
 */
#pragma once

#include "lib/span.h"
#include "sweep/data.h"
#include "sweep/line_ops.h"
#include "sweep/march.h"
#include "sweep/order.h"
#include "sweep/pulse.h"

#define SWEEP_SMALL_SLICE (UINT64_C(1) << 20) /* for those that must stop soon */
#define SWEEP_PULSE_BYTES UINT64_C(1024)      /* between two looks at the gate */

struct sweep {
    const struct line_ops *ops;
    bool has_clflushopt;
    enum order_lanes lanes;  /* how several operations on each line are done: sweep/order.h */
    struct pulse_gate *gate; /* NULL, or lines are only accessed while it lets traffic through */
    struct line_faults faults;
};

struct slice {
    struct line *virt; /* lowest line, and its physical address */
    uint64_t phys;
    uint64_t n_lines;
};

/*
 * Takes the next slice off what is left of a span: the lowest, or down: the highest. What is larger
 * than slice_bytes, a power of two, is cut at multiples of it, so slices are the same for up and
 * down. left is not empty.
 */
struct span sweep_next_slice(struct span *left, bool down, uint64_t slice_bytes);

/* Whether the march has an element with several operations on each line, but a read and a write. */
bool sweep_has_lanes(const struct march *march);

/*
 * Does the element's operations on each line of the slice, MARCH_DOWN from the highest line to the
 * lowest, else from the lowest up; with several operations on each, in lanes if sweep says so. On
 * return all its writes are on their way to memory. Pauses are the caller's: element must not be
 * one.
 */
void sweep_element(const struct sweep *sweep, const struct march_element *element,
                   const struct data *data, struct slice slice);
