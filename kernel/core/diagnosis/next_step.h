// SPDX-License-Identifier: MIT
/*
 * The next step of a diagnosis: of all arrangements that could be tested, the one that tells most
 * for the work that it is; or the end.
 *
 * What a run tells is the mutual information, in bits, of its outcome (faults or none) and the
 * cause, by what is believed now (belief.h). The work is a restart, opening the machine, and each
 * module that is taken out, put in or moved; so settings come first, because the machine stays
 * closed. An end is reached when one cause has SURE of the belief.
 *
 * Which arrangements a board starts in is not known. Once one has not started, its slots are not
 * asked for again, and of others only those that make pairs: slots 1 and 2, 3 and 4, or 1 and the
 * first of the second half, as long as one of these rules agrees with what started and what did
 * not; else even numbers, if an odd one did not start. Slots that have started are preferred then.
 */
#pragma once

#include "diagnosis/belief.h"
#include "diagnosis/diagnosis.h"

enum diagnosis_end_kind {
    DIAGNOSIS_NO_END,
    DIAGNOSIS_END_MODULES, /* `bits`: which, one or two */
    DIAGNOSIS_END_SLOT,    /* `bits`: which; two: one of them, which cannot be used one by one */
    DIAGNOSIS_END_SETTINGS,
    DIAGNOSIS_END_CONTROLLER,
    DIAGNOSIS_END_CROWD,          /* only with all modules: the controller or the board */
    DIAGNOSIS_END_ALL,            /* all modules or the controller: one from elsewhere would tell */
    DIAGNOSIS_END_NOT_REPRODUCED, /* the fault came once, and not again */
    DIAGNOSIS_END_UNDECIDED,      /* nothing that can be tried would tell more */
};

struct diagnosis_end {
    enum diagnosis_end_kind kind;
    uint32_t bits;
    double sure; /* of the belief; of UNDECIDED: of what is most likely, which is `bits` and... */
    enum diagnosis_end_kind likely; /* ...this */
};

/*
 * Step kind DIAGNOSIS_ENDS: *ret_end says how, and the arrangement stays; else it is
 * DIAGNOSIS_NO_END.
 */
void diagnosis_next(const struct diagnosis *d, struct diagnosis_step *ret_step,
                    struct diagnosis_end *ret_end);

/*
 * The headline, in capitals: "NEXT STEP" while the search goes on, then its result, such as "BAD
 * MODULE FOUND". In large letters a small screen may show one line of it only.
 */
const char *diagnosis_headline(const struct diagnosis_end *end);

/* "module", "slot", "settings", "controller", "crowd", "all", "not-reproduced", "undecided"; NULL.
 */
const char *diagnosis_end_name(enum diagnosis_end_kind kind);

/* The passes that a run in any arrangement needs now: what is tested if somebody does not follow.
 */
unsigned diagnosis_next_passes(const struct diagnosis *d);

/* What taking out, putting in or moving these modules, and a restart, counts as, in restarts. */
double diagnosis_work(const struct diagnosis *d, const struct diagnosis_arrangement *from,
                      const struct diagnosis_arrangement *to);
