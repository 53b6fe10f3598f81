// SPDX-License-Identifier: MIT
/*
 * One test on one world, by the shipped code: which of the world's faults it detects.
 *
 * CPUs take their turns as sweep/order.h has it. What two CPUs do in steps that are near has no
 * order, so every round is done in each of several: in one, lower CPUs are as far ahead of higher
 * ones as they may be, in another as far behind them, and in two more it changes from element to
 * element; and all that with one CPU, and with two, on the side that is ahead. A round detects a
 * fault if it does in all of them.
 */
#pragma once

#include "sweep/engine.h"
#include "sweep/tests.h"
#include "tests/coverage/cache.h"
#include "tests/coverage/world.h"

struct experiment {
    const struct line_ops *ops;
    bool has_clflushopt;
    struct cache_model model;
    bool all_orders; /* of CPUs; else one */
    uint32_t passes; /* of the test, one after the other, each with its own seed */
    bool by_shares;  /* places are counted: those that are found by chance, too */
};

/*
 * Runs all rounds of a test of kind TEST_MARCH and sets found_round of all instances: counted on
 * from pass to pass. False: the code under test did something wrong; *ret_broken says what.
 */
bool experiment_run(const struct experiment *e, struct world *w, const struct march *march,
                    const struct test *test, const char **ret_broken);
