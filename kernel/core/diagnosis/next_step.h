// SPDX-License-Identifier: MIT
/*
 * What could be the cause of the faults, how likely each is by the runs so far, and the next step:
 * of all arrangements that could be tested, the one that tells most for the work that it is; or the
 * end.
 *
 * Bayes' rule over a table: a row for each cause, a column for each rate at which faults may come.
 * A cause says in which arrangements there can be faults; then each pass has some with that rate.
 * Where there can be none, a fault is as good as impossible. The rate may be another in another
 * arrangement (the load, the temperature, what is interleaved): a part of the belief goes to rates
 * next to it. What is believed before the first run are assumptions, not measurements; `make
 * bench-diagnosis` draws its machines from other shares (docs/diagnosis.md). Modules that are not
 * suspects are less likely, and none is impossible: a wrong suspicion costs restarts.
 *
 * What a run tells is how much of the variance of its outcome (faults or none) the cause explains.
 * The work is a restart, opening the machine, and each module that is taken out, put in or
 * moved; so settings come first, because the machine stays closed.
 *
 * Which arrangements a board starts in is not known. Once one has not started, its slots are not
 * asked for again, and of others only those that make pairs: slots 1 and 2, 3 and 4, or 1 and the
 * first of the second half, as long as one of these rules agrees with what started and what did
 * not; else even numbers, if an odd one did not start.
 */
#pragma once

#include "diagnosis/diagnosis.h"

enum diagnosis_cause_kind {
    DIAGNOSIS_NONE,       /* never again: the first run's fault came once */
    DIAGNOSIS_CONTROLLER, /* always: CPU, its memory controller, or the whole board */
    DIAGNOSIS_CPU,        /* always: one CPU; only where the first run's faults point to it */
    DIAGNOSIS_CROWD,      /* with as many modules as in the first run, whichever they are */
    DIAGNOSIS_SETTINGS,   /* with settings above the JEDEC speed */
    DIAGNOSIS_MODULE,     /* with that one in, in whatever slot */
    DIAGNOSIS_MODULES,    /* with any of two in */
    DIAGNOSIS_SLOT,       /* with any module in it */
    DIAGNOSIS_CAUSES,
    /* Of an end alone: */
    DIAGNOSIS_SLOTS = DIAGNOSIS_CAUSES, /* one of two, which cannot be used one by one */
    DIAGNOSIS_ALL, /* all modules or the controller: one from elsewhere would tell */
};

struct diagnosis_cause {
    enum diagnosis_cause_kind kind;
    uint32_t bits; /* modules or slots */
};

/* Whether there can be faults. crowd: modules of the first run. */
bool diagnosis_can_fail(const struct diagnosis_cause *cause, const struct arrangement *at,
                        unsigned crowd);

/*
 * Of the cause's modules those that are suspects; of its slots those where one was in the first
 * run.
 */
uint32_t diagnosis_suspects_of(const struct diagnosis *d, const struct diagnosis_cause *cause);

/* What is most likely now. */
struct diagnosis_end {
    struct diagnosis_cause cause;
    double sure;     /* of the belief */
    bool is_decided; /* else, if the search is over, nothing that can be tried would tell more */
};

static inline bool diagnosis_ends_with_modules(const struct diagnosis_end *end)
{
    return end->is_decided &&
           (end->cause.kind == DIAGNOSIS_MODULE || end->cause.kind == DIAGNOSIS_MODULES);
}

/*
 * Step kind DIAGNOSIS_ENDS: *ret_end says how, and the arrangement stays. The step's passes are
 * what a run in any arrangement needs now, also if somebody does not follow.
 */
void diagnosis_next(const struct diagnosis *d, struct diagnosis_step *ret_step,
                    struct diagnosis_end *ret_end);

/* At most, of a step: a fault that can come is missed with less than 1 %. */
#define DIAGNOSIS_PASSES_MAX 200
