// SPDX-License-Identifier: MIT
/*
 * The lines for other bootloaders and systems, in addition to badram=, made from the current fault
 * log and sent as events. Boot CPU only.
 */
#pragma once

#include "badram/cover.h"
#include "run/run.h"

/* For the report: sends the lines of lines=, but not badram= itself. */
void lines_emit(const struct run *run, const struct cover *cover);

/* On request: sends the line of the next kind; after the last, the first again. */
void lines_emit_next(const struct run *run, const struct cover *cover);
