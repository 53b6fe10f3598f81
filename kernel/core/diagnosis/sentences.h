// SPDX-License-Identifier: MIT
/*
 * A diagnosis in words, for somebody who has never opened a machine's memory settings. Plain ASCII;
 * each paragraph ends with \n.
 */
#pragma once

#include "diagnosis/diagnosis.h"
#include "diagnosis/next_step.h"
#include "lib/fmt.h"

/* What to do next, from the arrangement that is fitted now. One paragraph. */
void diagnosis_append_step(const struct diagnosis *d, const struct diagnosis_step *step,
                           const struct diagnosis_arrangement *now, struct fmt_buffer *out);

/* The same, or the end, in 60 characters at most: "next: take out DIMM_A2". */
void diagnosis_append_short(const struct diagnosis *d, const struct diagnosis_step *step,
                            const struct diagnosis_end *end,
                            const struct diagnosis_arrangement *now, struct fmt_buffer *out);

/*
 * What was changed between two arrangements, if that is not what was asked for: nothing, or
 * something else. Nothing is appended if it is.
 */
void diagnosis_append_change(const struct diagnosis *d, const struct diagnosis_step *asked,
                             const struct diagnosis_arrangement *before,
                             const struct diagnosis_arrangement *now, struct fmt_buffer *out);

/* What was found, why, and what follows from it: three paragraphs, or two. */
void diagnosis_append_end(const struct diagnosis *d, const struct diagnosis_end *end,
                          struct fmt_buffer *out);

/*
 * The runs so far, a line each: "DIMM_A1 and DIMM_B1: faults in 3 of 4 passes", "DIMM_A1 (module of
 * DIMM_B1): no fault in 8 passes".
 */
void diagnosis_append_runs(const struct diagnosis *d, struct fmt_buffer *out);
