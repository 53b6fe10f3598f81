/*
 * One march element over one slice of memory.
 *
 * The caller cuts memory into slices (a MiB or so: it looks at the stop key and the progress in
 * between), hands an element's slices to all CPUs, each CPU's in the element's direction, and waits
 * until all have done theirs before it starts the next element.
 */
#pragma once

#include "sweep/data.h"
#include "sweep/lines.h"
#include "sweep/march.h"

struct sweep {
    const struct line_ops *ops;
    bool has_clflushopt;
    struct line_faults faults;
};

struct slice {
    struct line *virt; /* lowest line, and its physical address */
    uint64_t phys;
    uint64_t n_lines;
};

/*
 * Does the element's operations on each line of the slice, MARCH_DOWN from the highest line to the
 * lowest, else from the lowest up. On return all its writes are on their way to memory. Pauses are
 * the caller's: element must not be one.
 */
void sweep_element(const struct sweep *sweep, const struct march_element *element,
                   const struct data *data, struct slice slice);
