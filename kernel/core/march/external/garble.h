// SPDX-License-Identifier: MIT
/*
 * What a fault looks like where memory is encrypted. The controller encrypts blocks of 16 bytes
 * (Intel's TME: AES-XTS; AMD's SME and TSME: AES). One wrong bit in DRAM makes all of its block
 * random: half of its bits differ from what was written, whatever chip or cell is faulty.
 *
 * Without encryption no fault does that, and no device writes single blocks of random data and
 * leaves the rest of the line alone. So memory counts as encrypted once several lines were garbled
 * in this way: some blocks are right, all others are random; or all four are random, and right when
 * they are read again, which what a device has written is not. Lines that are wrong in another way
 * speak against it: a few bits, or a part of a block.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "external/looks_external.h"

#define GARBLE_LINES       3  /* garbled lines that show it */
#define GARBLE_FOR_OTHERS  4  /* or this number for each line that is wrong in another way */
#define GARBLE_LINES_ASKED 64 /* further lines are not looked at */

enum garble {
    GARBLE_NOT,   /* a block is wrong in another way */
    GARBLE_PART,  /* one to three blocks are random, the others right */
    GARBLE_WHOLE, /* all blocks are random */
};

enum garble garble_of(const struct written *written, uint64_t phys, const struct line *expected,
                      const struct line *found);

/*
 * Whether all of a line could be random. False, in one of 10^9 random lines: its bytes are too much
 * alike, or a bit of most of them is the same, as in text, numbers and pointers.
 */
bool garble_is_random(const struct line *line);

/* All zero: no line was wrong so far. For every CPU. */
struct garble_look {
    atomic_uint n_garbled, n_others;
    atomic_bool seen;
};

/* Whether more lines are wanted. */
bool garble_look_wants(const struct garble_look *look);

/* A line was wrong. came_right: by a second read it is as expected. */
void garble_look_add(struct garble_look *look, enum garble garble, bool came_right);

/* Whether memory looks encrypted. It stays so. */
bool garble_look_is_seen(const struct garble_look *look);
