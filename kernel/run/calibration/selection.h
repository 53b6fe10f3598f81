// SPDX-License-Identifier: MIT
/*
 * Which tests are run, and with which line operations.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "options/options.h"
#include "plan/share.h"
#include "sweep/line_ops.h"
#include "sweep/tests.h"

struct selection {
    struct test_list tests; /* the extra march of march=, if any, is the last */
    const struct line_ops *ops;
    uint32_t hammer_s;          /* how long row-hammer lasts */
    double cost[TEST_LIST_MAX]; /* of each test: how long a byte takes that it sweeps, relative to
                                   others */
    bool has_lanes[TEST_LIST_MAX];        /* of each test: sweep/engine.h */
    bool orders_all_pairs[TEST_LIST_MAX]; /* sweep/tests.h */
    bool lines, lanes; /* whether orders of lines, and of lanes, are faster than one line after the
                          other: sweep/order.h */
};

extern struct selection selection;

/*
 * By tests=, march= and isa=. A value that is wrong is warned about, and the default is used.
 * Memory is shared out by the speed of each CPU (calibration/speeds.h). isa=auto takes the line
 * operations that all CPUs have and with which they sweep this machine's memory fastest, by a short
 * measurement on the fastest and the slowest of them: memory's content is lost. Whether orders with
 * several lines under way at once are faster (they are where memory is, and lanes are slower in an
 * emulator) is measured, too, and what the tests cost. After plan_make and cpu_clocks_compare.
 */
void selection_make(struct shares *shares, const struct options *options);

/* The order, or where it would be slower, one line after the other: all are in order there. */
enum order_lanes selection_order(enum order_lanes order);

/* Whether no test of the list finds more faults between two lines (plan/unpaired.h). */
bool selection_is_strongest_coupling_test(const struct test *test);
