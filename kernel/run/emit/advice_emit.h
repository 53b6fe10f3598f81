// SPDX-License-Identifier: MIT
/* The event of what a person can do next (advice/advice.h). Boot CPU, at the end of the run. */
#pragma once

#include "event/events.h"

/* After cover_emit_finalize and kind_emit_final. */
void advice_emit(const struct event_result *result);
