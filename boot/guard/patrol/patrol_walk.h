// SPDX-License-Identifier: MIT
/*
 * The way of a patrol through free memory: where it goes on, in which order, and how much it takes
 * at once. From where the last one ended it goes up to the highest address, then from the lowest
 * one up to where it began. Each free page comes once. Memory below 1 MiB, which some firmware
 * writes to all the same, is left out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "guardlist/ram_use.h"
#include "lib/span.h"

/*
 * Where the patrol goes on at the next boot, as the UEFI variable OkramPatrol has it, 64 bits,
 * little endian.
 *
 *   0-39   the page to go on with
 *   40-47  how many patrols in a row were begun there and did not end
 *   48-63  the lap: how often all free memory has been tested, modulo 2^16
 *
 * The count is raised before a patrol touches memory, and cleared when the patrol has ended. A
 * patrol may stop the machine, for example where memory reports an uncorrectable error. After
 * PATROL_UNFINISHED_MAX such boots in a row the guard boots without a patrol, until the variable is
 * deleted.
 */
#define PATROL_UNFINISHED_MAX 2

struct patrol_cursor {
    uint64_t page; /* below 2^40 */
    uint8_t unfinished;
    uint16_t lap;
};

uint64_t patrol_cursor_pack(struct patrol_cursor place);
struct patrol_cursor patrol_cursor_unpack(uint64_t packed);

#define PATROL_BLOCK_MAX (UINT64_C(16) << 20)
#define PATROL_BLOCK_MIN (UINT64_C(1) << 16) /* for less it is not worth taking a block */

/* The memory tested so far, and the time that took, with all calls of firmware. */
struct patrol_pace {
    uint64_t bytes, us;
};

/*
 * The bytes of the next block, in whole pages: what half of the time left is enough for at the pace
 * so far; 1 MiB while no pace is known. 0: it would be less than PATROL_BLOCK_MIN, so the patrol is
 * over.
 */
uint64_t patrol_pace_block(struct patrol_pace pace, uint64_t left_us);

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
