// SPDX-License-Identifier: MIT
/* Rounds of a test, or of a part of its march, over the memory of its shares (plan/share.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "faults/reporter.h"
#include "run/run.h"
#include "sweep/data.h"
#include "sweep/march.h"
#include "sweep/march_part.h"
#include "sweep/tests.h"
#include "testing/hammering.h"

/* A test of a pass. */
struct test_run {
    struct run *whole; /* that it is part of; its shares are what this test covers now */
    const struct test *test;
    struct march march; /* its own, if it has one */
    struct test_place place;
    uint64_t seed;
    struct hammered hammered;
};

/* Test `index` of the list, in a pass with this seed. */
void test_run_init(struct run *whole, uint32_t index, uint32_t pass, uint64_t seed,
                   struct test_run *ret);

/* Reports that the test is running, and the bytes that it sweeps. */
void rounds_begin(const struct test_run *run, uint64_t bytes);

/* A round of a march. place: with the round's number, from 0 on. */
typedef void (*rounds_march)(void *ctx, const struct test_run *run, const struct data *data,
                             struct test_place place);

/*
 * Rounds first to end - 1, with this part of the march in each. They have the orders of a test of
 * as many rounds (sweep/order.h): of a test in two parts, with okram in another place in each,
 * either orders all lines.
 */
struct rounds {
    uint32_t first, end;
    struct march_part part;
    rounds_march march; /* unless NULL: done instead of the part's elements, */
    void *ctx;          /* with this */
};

struct rounds rounds_all(const struct test_run *run);

/*
 * Does the rounds. If a CPU is lost (plan/lost_cpus.h), all of them are repeated without it; so
 * they are from another place, which okram moves to, if it uses cells that tested memory reaches by
 * lower addresses (self/own_aliases.h). Ends early when the run is stopped.
 */
void rounds_run(struct test_run *run, struct rounds rounds);

/* Whether a round ends early: for good, or to be repeated as rounds_run says. */
bool rounds_interrupted(const struct run *run);

/* Within a round: does some elements of its march; any single element; a pause. */
void rounds_do_elements(const struct test_run *run, struct march_part part, const struct data *data,
                        struct test_place place);
void rounds_do_element(const struct test_run *run, const struct march_element *element,
                       const struct data *data, struct test_place place);
void rounds_wait_ms(const struct test_run *run, uint32_t ms);
