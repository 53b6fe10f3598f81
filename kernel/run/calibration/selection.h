// SPDX-License-Identifier: MIT
/* Which tests run, and with which line operations. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "calibration/calibration.h"
#include "options/options.h"
#include "sweep/line_ops.h"
#include "sweep/pulse.h"
#include "sweep/tests.h"

struct selection {
    struct test_list tests; /* the march of march= is the last, unless tests= names it */
    const struct line_ops *ops;
    const struct line_ops *address_ops; /* of tests whose data are addresses */
    uint32_t hammer_s;                  /* how long row-hammer lasts */
    double cost[TEST_LIST_MAX]; /* of each test: the time for a byte that it sweeps, relative to the
                                   others */
    bool has_lanes[TEST_LIST_MAX];        /* of each test: sweep/engine.h */
    bool orders_all_pairs[TEST_LIST_MAX]; /* sweep/tests.h */
    bool lines, lanes; /* whether orders of lines, and of lanes, are faster than one line after the
                          other: sweep/order.h */
    struct pulse_schedule pulses; /* of tests in pulses: one that runs through all of the run, by
                                     the boot CPU's counter (cpus/cpu_clocks.h) */
};

/*
 * Selects by isa=, for the tests that the list already has (read_options). Memory is shared out by
 * the speed of each CPU (calibration/speeds.h). isa=auto takes the line operations that all CPUs
 * have and with which they sweep this machine's memory fastest, with plain and with random data as
 * the tests have them, and others with addresses, by a short measurement on the fastest and the
 * slowest of them, which destroys the memory's content; of nearly equal ones the widest. Also
 * measured: whether orders with several lines under way at once are faster (on real memory they
 * are, in an emulator lanes are slower), and what the tests cost. After plan_make and
 * cpu_clocks_compare.
 */
void selection_make(struct selection *selection, struct trials trials,
                    const struct options *options);

/* The instructions that all CPUs have. */
struct line_features selection_features(void);

/* The notice that `option` names instructions that not all CPUs have. */
void selection_note_no_isa(const char *option, const char *name);

/* The line operations of a test of the list. */
static inline const struct line_ops *selection_ops(const struct selection *selection, uint32_t test)
{
    return test_cost(&selection->tests.test[test]) == TEST_COST_ADDRESS ? selection->address_ops
                                                                        : selection->ops;
}

/* The order, or one line after the other if the order would be slower. */
static inline enum order_lanes selection_order(const struct selection *selection,
                                               enum order_lanes order)
{
    return (order_has_lanes(order) ? selection->lanes : selection->lines) ? order : ORDER_ONE_LANE;
}

/* Whether no other test of the list finds more faults between two lines (plan/unpaired.h). */
static inline bool selection_is_strongest_coupling_test(const struct selection *selection,
                                                        const struct test *test)
{
    uint32_t most = tests_most_pairs(&selection->tests);

    return most && test->pairs == most;
}
