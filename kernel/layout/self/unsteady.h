// SPDX-License-Identifier: MIT
/*
 * Memory at fault that okram itself is in, seen when it moves: a copy differs from the original.
 * Once that may be the copy's fault; twice the same word, in copies at two places, while nobody
 * writes, it is the original's: a cell that changes when it is read (Adams and Cooley, "Analysis of
 * a Deceptive Destructive Read Memory Fault Model", North Atlantic Test Workshop 1996), or now and
 * then. okram then moves with what it has read first, and leaves the page to the tests.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/span.h"

#define UNSTEADY_MAX 8 /* pages */

struct unsteady_word {
    uint64_t addr;          /* physical */
    uint64_t first, second; /* what two reads found */
};

/* The begin of a piece: up to where an unsteady page begins, or ends. */
struct unsteady_part {
    uint64_t bytes;
    bool is_unsteady;
};

struct unsteady_part unsteady_cut(struct span piece);

/*
 * A word differed; address 0: it is not known which. True: for the second time, and its page is
 * unsteady from now on.
 */
bool unsteady_note(struct unsteady_word word);

/* okram has moved: what was seen is of no page of its own any more. */
void unsteady_moved(void);

/* A word that was unsteady, and was not taken yet. False: there is none. */
bool unsteady_take(struct unsteady_word *ret);
