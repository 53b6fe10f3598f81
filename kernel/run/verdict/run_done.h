// SPDX-License-Identifier: MIT
/* How far a run has come. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct run_done {
    bool stopped;
    uint32_t passes; /* whole ones */
    uint64_t whole;  /* bit n: pass n + 1 is one of these; of the first 64 */
    uint32_t begun;  /* and those with skipped tests, or cut short */
    uint32_t skipped_tests;
    uint32_t failed; /* passes with faults, the one that was cut short, too */
    bool cut_failed; /* it was one of these */
    uint64_t seed;   /* of the first pass; each has one more */
    uint32_t tests;  /* completed in the last pass that was begun; bit n is test n of the list */
    uint64_t reads;  /* of each cell, by all tests that were completed */
    double seconds;  /* that the passes took */
};
