// SPDX-License-Identifier: MIT
/*
 * Row hammer at changing places of the tested memory: in rows that timing has shown
 * (testing/row_finding.h, rows/row_hammer.h), or in rows that are guessed (sweep/hammer.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "faults/reporter.h"
#include "sweep/data.h"

struct hammered {
    uint64_t bytes; /* of the places, each counted once */
    bool found;     /* rows were found, on all nodes that were hammered */
};

/*
 * Hammers for as long as was selected: one CPU a node, so that CPUs do not take each other's time
 * in the banks; with all patterns in turn, each at another place of the node's tested memory. An
 * eighth of the time, at most, is for finding the rows, the first time. Adds the places' bytes to
 * ret->bytes.
 */
void hammering_run(struct run *run, const struct data *data, struct test_place place,
                   struct hammered *ret);
