// SPDX-License-Identifier: MIT
/*
 * Block move: bursts of copying. Other tests stream through memory in one way at a time; here the
 * string instructions read one place and write another as fast as the processor can, forward and
 * backward, and the two must not disturb each other.
 *
 * A slice is cut into pairs of neighbouring blocks; in each step one block of every pair is moved
 * onto the other. Each place is source and destination, over the data and its complement, and
 * over three distances. What a destination must hold is its source's data, so data has to differ
 * from line to line (DATA_RANDOM, DATA_ADDRESS).
 *
 * Every fault is reported at the faulty cell. A wrong value that was moved is the source's: sources
 * are checked before the move, with their surroundings as they were, and after it, as they are now,
 * and what arrives from a source line that either check found wrong is not judged. All that could
 * disturb a source while it is read is in one of these two states. Nothing wrong is moved on: each
 * step begins by writing the whole slice again.
 *
 * Every check is of lines that were flushed, so it reads DRAM.
 */
#pragma once

#include "sweep/data.h"
#include "sweep/engine.h"

/* Reads and writes of each line. */
#define BLOCK_MOVE_SWEEPS 21

/*
 * Does all steps on the slice, of at most SWEEP_SMALL_SLICE, and reports every word found wrong.
 * The last of an odd number of lines is written, but has no partner and is not checked. Leaves no
 * particular data behind.
 */
void block_move(const struct sweep *sweep, const struct data *data, struct slice slice);
