// SPDX-License-Identifier: MIT
/*
 * The bad pages of a fault log as blocks: aligned groups of 2^n adjoining pages, by address. Every
 * bad page is in one block, and a block holds bad pages only.
 */
#pragma once

#include <stdbool.h>

#include "badram/pattern.h"
#include "log/fault_log.h"

struct bad_blocks {
    const struct fault_log *log;
    uint64_t index;       /* where to look for the next run */
    struct page_run left; /* of the present run */
};

struct bad_blocks bad_blocks_start(const struct fault_log *log);

/* The next block; false: no more. */
bool bad_blocks_next(struct bad_blocks *b, struct pattern *ret_block);
