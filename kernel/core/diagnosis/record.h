// SPDX-License-Identifier: MIT
/*
 * What a report says of a diagnosis after a run: the record of type "diagnosis"
 * (docs/jsonl.schema.json), and what the screens show of it. Plain ASCII; texts that do not apply
 * are "".
 */
#pragma once

#include "diagnosis/code.h"
#include "diagnosis/diagnosis.h"

#define DIAGNOSIS_TESTS_OPTION 256 /* bytes of a list for tests=, with the NUL */

struct diagnosis_record {
    unsigned runs;
    enum diagnosis_step_kind step;
    char next[1000];                    /* what to do, one paragraph; "": it is over */
    char summary[64];                   /* the same, or what was found, in a few words */
    const char *headline;               /* diagnosis_headline: "NEXT STEP" */
    const char *end;                    /* diagnosis_end_name; NULL: it is not over */
    char found[400], reasons[1000];     /* the end: a sentence, and why */
    char remedy[300];                   /* the end of reasons: what to do about it */
    char history[3000];                 /* a line for each run, each with \n */
    char tests[DIAGNOSIS_TESTS_OPTION]; /* of the next run; "": all */
    char march[DIAGNOSIS_MARCH];        /* which "march" in tests is; or "" */
    unsigned next_passes;               /* of these; 0: it is over */
    char code[DIAGNOSIS_CODE_MAX];      /* diagnosis/code.h */
    char words[DIAGNOSIS_CODE_MAX + DIAGNOSIS_TESTS_OPTION + DIAGNOSIS_MARCH + 60]; /* options of
                                                                                       that run */
};

/*
 * now: what is fitted. notes: of enum diagnosis_note, of the run that it began with: they are a
 * part of what to do. tests, march: for these options, or "". The step is that of the typed word,
 * in which speeds and counts are rounded: so it is the same wherever the diagnosis goes on from.
 */
void diagnosis_record_make(const struct diagnosis *d, const struct diagnosis_arrangement *now,
                           unsigned notes, const char *tests, const char *march,
                           struct diagnosis_record *ret_record);
