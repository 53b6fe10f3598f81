// SPDX-License-Identifier: MIT
/*
 * Faulty cells in okram's own memory that show when it moves: a copy differs from the original.
 * One difference may be the copy's fault. If copies at two places differ in the same word, while
 * nobody writes, the original is at fault: a cell changes when it is read (Adams and Cooley,
 * "Analysis of a Deceptive Destructive Read Memory Fault Model", North Atlantic Test Workshop 1996)
 * or at times. okram then moves with what it read first, and the tests get the page.
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

/* The first part of a piece, up to the next border of an unsteady page. */
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

/* okram has moved: it no longer uses the pages that were noted. */
void unsteady_moved(void);

/* Takes the next word that was found unsteady. False: there is none. */
bool unsteady_take(struct unsteady_word *ret);
