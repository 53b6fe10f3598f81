// SPDX-License-Identifier: MIT
/*
 * A diagnosis in words, for somebody who has never opened a machine's memory settings; and the
 * record of type "diagnosis" of a run (docs/jsonl.schema.json), of which the screens show a part.
 * Plain ASCII; each paragraph ends with \n.
 */
#pragma once

#include "diagnosis/code.h"
#include "diagnosis/next_step.h"
#include "lib/fmt.h"

/* What to do next, from the arrangement that is fitted now. One paragraph. */
void diagnosis_append_step(const struct diagnosis *d, const struct diagnosis_step *step,
                           const struct arrangement *now, struct fmt_buffer *out);

/* The same, or the end, in a few words: "test with DIMM_A2 only". */
void diagnosis_append_short(const struct diagnosis *d, const struct diagnosis_step *step,
                            const struct diagnosis_end *end, const struct arrangement *now,
                            struct fmt_buffer *out);

/*
 * What was changed between two arrangements, if that is not what was asked for: nothing, or
 * something else. Nothing is appended if it is.
 */
void diagnosis_append_change(const struct diagnosis *d, const struct diagnosis_step *asked,
                             const struct arrangement *before, const struct arrangement *now,
                             struct fmt_buffer *out);

/* What was found, why, and what follows from it: three paragraphs, or two. */
void diagnosis_append_end(const struct diagnosis *d, const struct diagnosis_end *end,
                          struct fmt_buffer *out);

/*
 * The runs from this one on, a line each: "DIMM_A1 and DIMM_B1: faults in 3 of 4 passes", "DIMM_A1
 * (module of DIMM_B1): no fault in 8 passes".
 */
void diagnosis_append_runs(const struct diagnosis *d, unsigned first, struct fmt_buffer *out);

#define DIAGNOSIS_TESTS_OPTION 256 /* bytes of a list for tests=, with the NUL */

/* Texts that do not apply are "". */
struct diagnosis_record {
    unsigned runs;
    enum diagnosis_step_kind step;
    char next[1000];                    /* what to do, one paragraph; "": it is over */
    char summary[61];                   /* "next: test again", "bad: serial 1A2B3C4D" */
    const char *headline;               /* in capitals: "NEXT STEP", "BAD MODULE FOUND" */
    const char *end;                    /* "module", "slot", ...; NULL: it is not over */
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
void diagnosis_record_make(const struct diagnosis *d, const struct arrangement *now, unsigned notes,
                           const char *tests, const char *march,
                           struct diagnosis_record *ret_record);
