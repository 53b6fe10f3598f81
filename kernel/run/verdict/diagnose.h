// SPDX-License-Identifier: MIT
/*
 * This run as one of a guided diagnosis (diagnosis/diagnosis.h): diagnosis= has the state before
 * it; what is sent at its end has the state after it, and the next step. A run that found faults
 * without diagnosis= is what one can begin with.
 */
#pragma once

#include <stdbool.h>

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"
#include "verdict/run_done.h"
#include "firmware/smbios_memory.h"
#include "kind/kind.h"
#include "lib/warn.h"
#include "options/options.h"
#include "spd/modules.h"
#include "sweep/tests.h"

struct diagnose {
    const struct options *options;
    bool goes_on; /* `state` is that of diagnosis=, and some of this run's modules are in it */
    struct diagnosis_machine machine;
    struct diagnosis state;
    struct arrangement now;         /* if it goes on */
    struct diagnosis_record record; /* of the event */
};

/*
 * Once firmware's tables and the modules are read. slots: NULL: firmware lists none. Says what was
 * changed and what is odd, and how many passes there are unless a person has said that: these are
 * written to the options, which stay where they are.
 */
void diagnose_begin(struct diagnose *d, struct options *options, const struct smbios_memory *slots,
                    const struct modules *modules, const struct warnings *warnings);

/* After how many passes with faults the run ends; 0: it does not. */
uint32_t diagnose_enough(const struct diagnose *d);

/* What a run has found; always: a bad page was bad each time that it was tested again. */
struct diagnose_found {
    const struct test_list *tests;
    uint64_t test_faults[TEST_LIST_MAX]; /* of each of these */
    struct kind_verdict kind;
    bool always;
    uint32_t suspects; /* slots; 0: not known (diagnosis_suspect) */
    enum diagnosis_suspicion suspicion;
};

/*
 * After the last test, before the result: sends the event, if the run goes on with a diagnosis, or
 * if it found faults and there are two modules or more.
 */
void diagnose_end(struct diagnose *d, const struct run_done *done,
                  const struct diagnose_found *found, const struct warnings *warnings);
