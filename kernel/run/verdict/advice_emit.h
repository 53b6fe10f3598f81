// SPDX-License-Identifier: MIT
/* The event of what a person can do next (advice/advice.h). Boot CPU, at the end of the run. */
#pragma once

#include "verdict/diagnose.h"
#include "event/events.h"
#include "run/run.h"

/*
 * After cover_emit_final. verdict: of kind_emit_final. diagnosis: of this run, as far as it is
 * known. keeps_report: with the list of bad pages, in UEFI variables, as far as is known.
 */
void advice_emit(const struct run *run, const struct event_result *result,
                 const struct kind_verdict *verdict, const struct diagnose *diagnosis,
                 bool keeps_report);

/* Whether something counts more than that the run found no fault (advice.h); after advice_emit. */
bool advice_emit_has_headline(void);

/*
 * In a panic, after an exception of the boot CPU's in intact code: appends whether it points to
 * that CPU, and what to do then. False: it may as well be of memory. is_flipped: by a wrong bit,
 * which is evidence itself; else what the run has found decides.
 */
bool advice_emit_panic(const struct run *run, bool is_flipped, struct fmt_buffer *text);

/* Once more, if it sends a person to what could not be kept after all. */
void advice_emit_as_kept(bool has_report, bool has_list);
