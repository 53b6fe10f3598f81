// SPDX-License-Identifier: MIT
/*
 * The lines beside badram=, for other bootloaders and systems, made of the fault log as it stands
 * and told as events. Boot CPU only.
 */
#pragma once

#include <stdint.h>

#include "badram/cover.h"
#include "options/options.h"

/* Tells, for the report, those of lines=; badram= itself is not told. */
void lines_emit(const struct options *options, const struct cover *cover);

/* Tells, for a person who asks, the line of the next kind; after the last the first again. */
void lines_emit_next(const struct cover *cover);
