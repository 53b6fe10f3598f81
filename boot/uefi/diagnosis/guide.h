// SPDX-License-Identifier: MIT
/*
 * The guided diagnosis (diagnosis/diagnosis.h) as the loader's menu offers it: what is known at
 * this start, what can be chosen, and what is said of it. Pure; diagnosis_menu.h connects it to
 * firmware.
 *
 * A report of faults: OFFERED, at each start while its modules are fitted, until it is chosen. From
 * then on each start compares the state that was kept, or a newer one in the report of the run
 * since, with what is fitted now:
 *
 *     READY       what was asked for: the test goes on by itself
 *     UNCHANGED   what was tested last: not changed yet, or what was asked for did not start
 *     CHANGED     something else, which can be tested all the same
 *     UNFINISHED  a test began with what is fitted, and left no result
 *     ENDED       what was found, until it is forgotten, or faults come without the bad module
 *     LOST        it cannot go on with what is fitted; a report of faults is offered instead
 *     DAMAGED     what was kept cannot be read
 */
#pragma once

#include <stdbool.h>

#include "diagnosis/diagnosis.h"
#include "diagnosis/next_step.h"
#include "found_record.h"
#include "lib/fmt.h"

enum guide_situation {
    GUIDE_NONE,
    GUIDE_OFFERED,
    GUIDE_READY,
    GUIDE_UNCHANGED,
    GUIDE_CHANGED,
    GUIDE_UNFINISHED,
    GUIDE_ENDED,
    GUIDE_LOST,
    GUIDE_DAMAGED,
};

/* From where a state can come; NULL: there is none. */
struct guide_sources {
    const struct diagnosis *variable, *file;
    const char *variable_why, *file_why; /* it cannot be used: the end of a sentence */
    const struct found_record *record;   /* of the last report */
    const char *record_why;              /* the report has one that cannot be used: likewise */
};

struct guide {
    enum guide_situation situation;
    bool is_kept;  /* there is something to forget */
    bool is_new;   /* the state is not the one that was kept: it is to be */
    bool is_asked; /* a step was asked for before this start */
    const char *variable_why, *file_why, *record_why;
    const struct diagnosis *offer; /* with which one can begin, or NULL */
    struct diagnosis state;
    struct diagnosis_arrangement before, now; /* tested last; fitted */
    struct diagnosis_step step;
    struct diagnosis_end end;
    unsigned notes; /* enum diagnosis_note */
};

/* The sources stay the caller's. */
void guide_begin(struct guide *ret_guide, const struct guide_sources *sources,
                 const struct diagnosis_machine *machine);

/* The offer is taken, instead of what was there before. */
void guide_accept(struct guide *g, const struct diagnosis_machine *machine);

/* What was asked for does not start: the next step. */
void guide_did_not_start(struct guide *g, const struct diagnosis_machine *machine);

/* A run begins with what is fitted; appends the options for it. */
void guide_run_begins(struct guide *g, struct fmt_buffer *words);
