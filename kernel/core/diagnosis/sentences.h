// SPDX-License-Identifier: MIT
/*
 * A diagnosis in words, for somebody who has never opened a machine's memory settings: the record
 * of type "diagnosis" of a run (docs/jsonl.schema.json), of which the screens and the loader's menu
 * show a part. Plain ASCII.
 */
#pragma once

#include "diagnosis/code.h"
#include "diagnosis/next_step.h"
#include "lib/fmt.h"

/*
 * What is fitted now, if that is not what was asked for, in a sentence; before: what was tested
 * last. Nothing is appended if it is.
 */
void diagnosis_append_change(const struct diagnosis *d, const struct arrangement *asked,
                             const struct arrangement *before, const struct arrangement *now,
                             struct fmt_buffer *out);

/* Texts that do not apply are "". */
struct diagnosis_record {
    unsigned runs;
    struct diagnosis_step step;
    struct diagnosis_end cause;     /* what is most likely now; it is over: how it ended */
    const char *headline;           /* in capitals: "NEXT STEP", "BAD MODULE FOUND" */
    char summary[80];               /* "NEXT STEP: test again", "BAD SLOT FOUND: DIMM_A2" */
    const char *end;                /* "module", "slot", ...; NULL: it is not over */
    char next[1000];                /* what to do, from what is fitted now; "": it is over */
    char found[500], reasons[1000]; /* the end: in a sentence, and why, with the remedy */
    const char *remedy;             /* what to do about it; or NULL */
    char history[3000];             /* a line for each run, each with \n */
    char tests[DIAGNOSIS_TESTS];    /* of the next run; "": all */
    char march[DIAGNOSIS_MARCH];    /* which "march" in tests is; or "" */
    unsigned next_passes;           /* of these; 0: it is over */
    char code[DIAGNOSIS_CODE_MAX];  /* diagnosis/code.h */
    char words[DIAGNOSIS_CODE_MAX + DIAGNOSIS_TESTS + DIAGNOSIS_MARCH + 60]; /* options of it */
};

/* now: what is fitted. */
void diagnosis_record_make(const struct diagnosis *d, const struct arrangement *now,
                           struct diagnosis_record *ret_record);
