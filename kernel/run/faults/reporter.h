// SPDX-License-Identifier: MIT
/*
 * Takes the words that a test has read wrong: each is logged with its place in the run, counted as
 * part of an alias, or kept because a device or firmware may have written it (external/external.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "external/external.h"
#include "log/fault_log.h"
#include "run/run.h"
#include "sweep/data.h"
#include "sweep/engine.h"

/* Where in the run a test is. */
struct test_place {
    uint32_t pass;                /* from 1 */
    uint32_t test;                /* index into selection.tests */
    uint32_t round, n_rounds;     /* of those that are done now: testing/rounds.h */
    uint32_t leg, n_legs;         /* of its march, if it is one, leg from 0 */
    bool any_order;               /* a march's lines need no certain order: the fastest is taken */
    uint32_t n_parts, n_sections; /* of each share, and of each part: testing/element.h */
};

/* One for each CPU. */
struct reporter {
    struct run *run;
    const struct data *data; /* what memory holds, in a march or its complement; or NULL */
    uint32_t pass, cpu;
    bool counts_only; /* the log has enough details */
    bool is_judged;   /* what it is given is a fault, wherever it is */
    struct fault_tally tally;
};

struct reporter reporter_make(struct run *run, struct test_place place, const struct data *data,
                              uint32_t cpu);

/* Now and then, and at the end: adds the counts to the log, which has the pages already. */
void reporter_flush(struct reporter *reporter);

/* Logs a line that had been kept; and a word that is known to be at fault, wherever it is. */
void reporter_log_line(struct run *run, const struct external_line *line);
void reporter_log_word(struct run *run, struct external_place place, uint64_t phys,
                       uint64_t expected, uint64_t found);

/* A sweep with the selected line operations, in one lane, that reports to the reporter. */
struct sweep reporter_sweep(struct reporter *reporter);
