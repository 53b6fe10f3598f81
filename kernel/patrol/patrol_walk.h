// SPDX-License-Identifier: MIT
/*
 * The way of a patrol through free memory: from where the last one ended up to the highest address,
 * then from the lowest one up to where it began. Each free page comes once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"

struct patrol_walk {
    const struct span *free;
    size_t n_free;
    uint64_t first; /* address where it began */
    uint64_t next;  /* address where it goes on */
    size_t at;      /* of the spans before it nothing is left */
    bool wrapped;
};

/* free: whole pages, by ascending base, none overlaps another. */
struct patrol_walk patrol_walk_begin(const struct span *free, size_t n_free, uint64_t first);

/*
 * The next block, within one span, of at most max_bytes, which are whole pages, at least one.
 * False: all free memory has been walked.
 */
bool patrol_walk_next(struct patrol_walk *walk, uint64_t max_bytes, struct span *ret_block);

/* Goes back to the begin of the block returned last, which was not tested to its end. */
void patrol_walk_back(struct patrol_walk *walk, struct span block);
