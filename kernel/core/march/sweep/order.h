// SPDX-License-Identifier: MIT
/*
 * In which order lines are worked on, so that a march's up and down are each other's reverse not
 * only within one CPU's share of memory, but between any two lines.
 *
 * Between CPUs: each worker's share is cut into n_sections sections, one a step. A section of step
 * s is begun when all workers have done the steps up to s - A, A = order_ahead(): a CPU that
 * is briefly slow does not stall the others. A worker's own sections are done one after the other.
 * So two sections that are A steps or more apart are ordered, and what two workers do in steps
 * nearer to each other is not. Which CPU does a section does not matter.
 *
 * Workers begin late by some steps, and not always by as many, so that no two sections are always
 * unordered. Two ways:
 *
 * - By legs (march_legs), in a march that goes up, down and up again, and does the same each
 *   time, or down, up and down: worker w is w(2A - 1) steps late in the first leg, none in the
 *   second, and in the third the earlier the later it was. If worker b is l steps later than
 *   worker a in a leg, a's section s comes before b's section t on the way up if s - t <= l - A,
 *   and on the way down if s - t >= l + A; nearer to l they are unordered. The three values of l,
 *   d(2A - 1), 0 and -d(2A - 1), are 2A - 1 or more apart: any two sections are unordered in one
 *   leg at most, and in either order in some leg. So one round is enough.
 * - By rounds, in other tests of several: in those after the first workers are late by 2A - 1 steps
 *   for each unit of one digit of their number, of another digit each round. Let a and b be
 *   sections of two workers that are unordered in the first round: |a - b| <= A - 1. Their numbers
 *   differ in some digit, by d >= 1 units. In that digit's round their steps are at least
 *   d(2A - 1) - |a - b| apart, and that is no less than (2A - 1) - (A - 1) = A. Any two sections of
 *   any two workers are so ordered in some round.
 *
 * Within a CPU: an element that has to wait for DRAM between its operations on a line has several
 * lines under way at once (sweep/line_pipeline.h), each at another operation. Lines that are close
 * to each other in the order in which they are worked on are therefore in no order, and one such
 * order is not enough. Down's order is always that of up in reverse.
 *
 * - By legs, the lines of a slice follow each other in the first leg, and those that are close
 *   are in no order. In the other two it is cut into lanes, and the first line of each lane is
 *   followed by the second of each, and so on: by rows. Lines of one lane are always in order
 *   there, those of two lanes are not if there is less than a row between them. In the third leg
 *   each lane is K > 1 rows ahead of the one before it. Say up, down and up. Let a be in row r of a
 *   lane, and b, which is higher, in row s of the d-th lane above it. If d = 0, the second leg has
 *   b before a, the third a before b. If d >= 1, the second has b before a if s > r, the third if
 *   s < r + Kd - 1: one of them always. And the first has a before b; or, if they are closer than
 *   its window, which is less than a lane, d = 1 and s < r - 1, and the second leg has a before b.
 *   Down, up and down is the mirror image.
 * - By rounds, in even rounds the lines of a slice follow each other: those less than a lane apart
 *   are in no order. Odd rounds have lanes: lines that are about a multiple of the lanes' length
 *   apart are in no order. No two lines are close in both: any two are ordered in some round.
 * - A test of one round that has fewer legs has lanes: neighbours are ordered.
 * In the latter there are as many lanes as lines in each, so that most are under way. In the others
 * lanes are longer, for lines that follow each other are fastest with many under way, and these are
 * fewer than a lane has.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct order {
    uint32_t n_workers;
    uint32_t round, n_rounds; /* of the test; round from 0 */
    uint32_t leg, n_legs;     /* of the march, leg from 0: march_legs */
    uint32_t n_sections;
};

#define SWEEP_SLICE_BYTES (UINT64_C(128) << 20) /* at most: many lanes have room */

#define ORDER_LEGS 3 /* of a march that puts any two lines in both orders */

#define ORDER_SECTIONS_MIN 16
#define ORDER_SECTIONS_MAX 32768
#define ORDER_AHEAD_MAX    4

/*
 * Into how many sections what a worker has is cut. Small sections keep waits short; lanes need
 * large ones; and where workers begin late many are needed. n_cpus: how many have work. has_lanes:
 * elements of the test are done in lanes (sweep_has_lanes). orders_all_pairs: any two lines are in
 * order in some round or leg of it (test_orders_all). In other tests what two workers do in the
 * same step is in no order: they have 64 sections at least. All rounds of a test must have the same
 * number.
 */
uint32_t order_sections(uint64_t worker_bytes, uint32_t n_cpus, bool has_lanes,
                        bool orders_all_pairs);

/*
 * A section may be begun when all sections are done that are this number of steps before it. As
 * many steps as cost workers that begin late no more than 2 % of the steps of all rounds, and,
 * where there is one round, leave no more than that of two workers' sections unordered.
 */
uint32_t order_ahead(struct order order);

/* How many steps an element has: n_sections, and what the latest worker needs more. */
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
    ORDER_ONE_LANE,   /* line after line: all are ordered, but each waits for DRAM */
    ORDER_LINES,      /* even rounds: line after line, but those close to each other in no order */
    ORDER_LANES,      /* odd rounds */
    ORDER_ONLY_LANES, /* the only round */
    ORDER_LEG_LINES,  /* the first leg: line after line, as above */
    ORDER_LEG_LANES,  /* the second */
    ORDER_LEG_EARLY,  /* the third: each lane is ahead of the one before it */
};

enum order_lanes order_lanes(struct order order);

static inline bool order_has_lanes(enum order_lanes lanes)
{
    return lanes == ORDER_LANES || lanes == ORDER_ONLY_LANES || lanes == ORDER_LEG_LANES ||
           lanes == ORDER_LEG_EARLY;
}
