// SPDX-License-Identifier: MIT
/* What a test of a pass has done and found, counted while it runs, for its event. */
#pragma once

#include <stdint.h>

#include "testing/rounds.h"

struct counts {
    uint64_t us, swept_bytes, faults;
};

/* The counts of the run until now; of faults only this test's, an index into selection.tests. */
struct counts counts_now(const struct fault_log *log, uint32_t test);

/* Adds what has been done since `then`. */
void counts_add_since(const struct fault_log *log, struct counts *counts, uint32_t test,
                      struct counts then);

/* Sends a test's event: it has ended, or the run is stopped. */
void counts_send(const struct test_run *run, const struct counts *counts);

/*
 * The tests of this pass that have ended, other than by a stop. They end in the order of the list.
 */
uint32_t counts_ended(uint32_t pass);

/* The counts of all tests of all passes that have ended, other than by a stop. */
struct counts_all {
    uint64_t reads; /* of each cell, at least */
    uint64_t us;
};

struct counts_all counts_all(void);
