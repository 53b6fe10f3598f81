// SPDX-License-Identifier: MIT
/* The event of what a person can do next (advice/advice.h). Boot CPU, at the end of the run. */
#pragma once

#include "emit/diagnose.h"
#include "event/events.h"

/*
 * After cover_emit_finalize. verdict: of kind_emit_final. diagnosis: of this run, as far as it is
 * known.
 */
void advice_emit(const struct event_result *result, const struct kind_verdict *verdict,
                 const struct diagnose *diagnosis);
