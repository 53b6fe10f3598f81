// SPDX-License-Identifier: MIT
/*
 * The way of a patrol through free memory: from where the last one ended up to the highest address,
 * then from the lowest one up to where it began. Each free page comes once. Memory below 1 MiB,
 * which some firmware writes to all the same, is left out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "guardlist/ram_use.h"
#include "lib/span.h"

struct patrol_walk {
    const struct guard_ram_use *pieces;
    uint64_t first; /* address where it began */
    uint64_t next;  /* address where it goes on */
    size_t at;      /* of the pieces before it nothing is left */
    bool wrapped;
};

struct patrol_walk patrol_walk_begin(const struct guard_ram_use *pieces, uint64_t first);

/* The bytes of the whole way. */
uint64_t patrol_walk_bytes(const struct guard_ram_use *pieces);

/*
 * The next block, within one piece, of at most max_bytes, which are whole pages, at least one.
 * False: all free memory has been walked.
 */
bool patrol_walk_next(struct patrol_walk *walk, uint64_t max_bytes, struct span *ret_block);

/* Goes back to the begin of the block returned last, which was not tested to its end. */
void patrol_walk_back(struct patrol_walk *walk, struct span block);
