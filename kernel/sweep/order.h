// SPDX-License-Identifier: MIT
/*
 * In which order lines are worked on, so that a march's up and down are each other's reverse not
 * only within one CPU's share of memory, but between any two lines.
 *
 * Between CPUs: every CPU's share is cut into ORDER_SECTIONS sections, and all CPUs go through
 * theirs in step: no CPU begins one before all have done the one before. That leaves unordered what
 * two CPUs do in the same step. So in the rounds of a test after the first, CPUs begin late by some
 * steps: by one digit of their number each round. Any two sections of any two CPUs are so ordered
 * in some round, if there are two or more.
 *
 * Within a CPU: elements go through a slice in lanes, stretches of equal length that are worked on
 * in step (sweep/engine.h), because memory is then faster. That is an order, too, and down's is
 * that of up in reverse. But an element that has to wait for DRAM between its operations on a line
 * does the step of all lanes at once: first each line's first operation, then each one's second.
 * What it does in one step is unordered: lines that are a multiple of the lanes' length apart. Odd
 * rounds have lanes of another length, and no two lines of a slice are a multiple of both apart:
 * any two are ordered in some round. A test of one round does such elements line by line.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ORDER_SECTIONS 64

struct order {
    uint32_t n_workers;
    uint32_t round, n_rounds; /* of the test; round from 0 */
};

/* How many steps the round has: ORDER_SECTIONS, and what the latest worker needs more. */
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
};

enum order_lanes order_lanes(struct order order);
