// SPDX-License-Identifier: MIT
/* The events of a run's start, the machine, the nodes, and the result. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "boot/boot_info.h"
#include "emit/leave_code.h"
#include "options/options.h"

void emit_start(const struct boot_info *boot, const char *cmdline);

/* Sends the machine and its nodes. After selection_make. */
void emit_machine(void);

/* How far a run has come. */
struct run_done {
    bool stopped;
    uint32_t passes;
    uint32_t failed; /* passes with faults, the one that was cut short, too */
    bool cut_failed; /* it was one of these */
    uint64_t seed;   /* of the first pass; each has one more */
    uint32_t tests;  /* completed in the pass after these */
    uint64_t reads;  /* of each cell, by all tests that were completed */
    double seconds;  /* that the passes took */
};

/* Sends what has not been sent yet, the final cover and the result. Returns the exit code. */
enum leave_code emit_result(const struct options *options, struct run_done done);
