// SPDX-License-Identifier: MIT
/*
 * The lines for other bootloaders and systems, in addition to badram=, made from the fault log as
 * it is and sent as events. Boot CPU only.
 */
#pragma once

#include <stdint.h>

#include "badram/cover.h"
#include "options/options.h"

/* Sends, for the report, those of lines=, but not badram= itself. */
void lines_emit(const struct options *options, const struct cover *cover);

/* Sends, because somebody asked, the line of the next kind; after the last the first again. */
void lines_emit_next(const struct cover *cover);
