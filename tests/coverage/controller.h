// SPDX-License-Identifier: MIT
/*
 * What stands between the CPUs' caches and the cells, and no instruction controls: the memory
 * controller's queue of writes, or a memory-side cache.
 *
 * - The queue holds the last lines written (AMD, "Integrated DDR5/LPDDR5/5X Memory Controller",
 *   PG456, "Reordering"). A write of a line that is in it
 *   only replaces what is there (merging), and a read is answered from it (forwarding). What came
 *   first leaves it first.
 * - A side cache holds the last lines read or written. The line that was not used for longest makes
 *   room for another, and goes to the cells if it was written.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/coverage/dram.h"

enum controller_kind {
    CONTROLLER_NONE,
    CONTROLLER_QUEUE,
    CONTROLLER_SIDE_CACHE,
};

struct held_line {
    bool is_held, dirty;
    uint32_t older, newer; /* lines in the order in which they leave */
    struct line data;
};

struct controller {
    struct dram *dram;
    enum controller_kind kind;
    uint32_t capacity, n; /* lines */
    uint32_t oldest, newest;
    struct held_line *line; /* by number */
};

/* capacity: at least 1, but for CONTROLLER_NONE, which holds nothing. */
void controller_make(struct controller *c, struct dram *dram, enum controller_kind kind,
                     uint32_t capacity);
void controller_free(struct controller *c);

/* All that is dirty goes to the cells, as when enough other lines are read. */
void controller_drain(struct controller *c);

/* Nothing is in it any more. What the cells have not got is lost. */
void controller_reset(struct controller *c);

void controller_write(struct controller *c, uint32_t line, const struct line *data);
struct line controller_read(struct controller *c, uint32_t line);
