// SPDX-License-Identifier: MIT
/*
 * The bad pages of a fault log as blocks: aligned groups of 2^n adjoining pages, by address.
 *
 * Every bad page is in a block, and a block holds no good page of RAM. Pages that are not RAM cost
 * nothing: a block reaches into a gap of RAM, or across it, where that saves blocks.
 */
#pragma once

#include <stdbool.h>

#include "badram/pattern.h"
#include "log/fault_log.h"

struct bad_blocks {
    const struct fault_log *log;
    uint64_t index;         /* where to look for the next run */
    struct page_run ahead;  /* the next run, count 0 at the end */
    uint64_t at, end;       /* what is left of the present run */
    uint64_t lowest, limit; /* how far blocks may reach around it */
};

struct bad_blocks bad_blocks_start(const struct fault_log *log);

/* The next block; false: no more. */
bool bad_blocks_next(struct bad_blocks *b, struct pattern *ret_block);
