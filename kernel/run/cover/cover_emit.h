// SPDX-License-Identifier: MIT
/*
 * The cover of the bad pages found so far, derived again as they come, and the events that show it.
 * Boot CPU only.
 */
#pragma once

#include "badram/cover.h"
#include "lib/fmt.h"
#include "run/run.h"

/* For the text of a panic: the current badram line, and the pages that it lacks. */
void cover_emit_append(struct run *run, struct fmt_buffer *text);

/* Derives the cover again and sends it, when that is due (cover/cover_schedule.h). */
void cover_emit_when_due(struct run *run);

/* On request: derives the cover again in any case, and sends it. */
void cover_emit_now(struct run *run);

/* On request: sends the current cover's line for the next bootloader or system. */
void cover_emit_next_line(const struct run *run);

/* At the end of the run: derives the cover of the pages that it found bad. */
void cover_emit_finalize(struct run *run);

/* The current cover, and what its line is good for. */
const struct cover *cover_emit_current(enum badram_use *ret_use);

/*
 * Sends all bad pages, those marked meanwhile included, the final cover and the lines of lines=,
 * and warns of the line's limits.
 */
void cover_emit_final(struct run *run);
