// SPDX-License-Identifier: MIT
/*
 * In which order lines are worked on, so that a march's up and down are each other's reverse not
 * only within one CPU's share of memory, but between any two lines.
 *
 * Between CPUs: every CPU's share is cut into ORDER_SECTIONS sections, and all CPUs go through
 * theirs in step: no CPU begins one before all have done the one before. That leaves unordered what
 * two CPUs do in the same step. So CPUs begin late by some steps, and not always by as many. Two
 * ways:
 *
 * - By turns (march_turns), in a march that goes up, down and up again, and does the same each time,
 *   or down, up and down: CPU w is w steps late in the first turn, none in the second, and
 *   in the third the earlier the later it was. If CPU b is l steps later than CPU a in a turn, a's
 *   section s comes before b's section t on the way up if s - t < l, and on the way down if
 *   s - t > l. With l as it is here (l, 0, -l) any two sections are in either order in some turn,
 *   even if in one of the three they are in the same step. So one round is enough.
 * - By rounds, in other tests of several: in those after the first CPUs are late by one digit of
 *   their number. Any two sections of any two CPUs are ordered in some round.
 *
 * Within a CPU: elements go through a slice in lanes, stretches of equal length that are worked on
 * in step (sweep/engine.h), because memory is then faster. That is an order, too, and down's is
 * that of up in reverse. But an element that has to wait for DRAM between its operations on a line
 * does the step of all lanes at once: first each line's first operation, then each one's second.
 * What it does in one step is unordered: lines that are a multiple of the lanes' length apart. By
 * turns, lanes are late as CPUs are: each by one line more than the one before it, by none, and by
 * one less. By rounds, odd ones have lanes of another length, and no two lines of a slice are a
 * multiple of both apart. A test of one round and fewer turns does such elements line by line.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ORDER_SECTIONS 64

#define ORDER_TURNS 3 /* so many are enough */

struct order {
    uint32_t n_workers;
    uint32_t round, n_rounds; /* of the test; round from 0 */
    uint32_t turn, n_turns;   /* of the march, turn from 0: march_turns */
};

/* How many steps an element has: ORDER_SECTIONS, and what the latest worker needs more. */
uint32_t order_steps(struct order order);

/*
 * The section that a worker (from 0) does in a step (from 0), counted from the lowest addresses of
 * its share; down: the element's direction. Down's steps are those of up in reverse. False: it has
 * nothing to do in this step.
 */
bool order_section(struct order order, uint32_t worker, uint32_t step, bool down,
                   uint32_t *ret_section);

/* How elements with several operations on a line are done. */
enum order_lanes {
    ORDER_ONE_LANE,
    ORDER_LANES,
    ORDER_OTHER_LANES,
    ORDER_LANES_LATE,  /* on the way up each lane is a line later than the one below it */
    ORDER_LANES_EARLY, /* or earlier; on the way down the other way round */
};

enum order_lanes order_lanes(struct order order);
