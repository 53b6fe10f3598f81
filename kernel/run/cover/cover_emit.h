// SPDX-License-Identifier: MIT
/*
 * The cover of the bad pages found so far, derived again as they come, and the events that show it,
 * the pages themselves, and the lines for other bootloaders and systems. Boot CPU only.
 */
#pragma once

#include "badram/cover.h"
#include "lib/fmt.h"
#include "run/run.h"

/*
 * No bad page waits longer than this for a line that covers it, if a derivation takes less than 2
 * seconds. A page that is found as a derivation begins waits for that, the pause, and the next one.
 */
#define COVER_EMIT_MAX_US UINT64_C(5000000)

/*
 * Contiguous runs of bad pages in an event, and in all events: at 115200 baud the text of all takes
 * 10 s. Further runs are left out, and the last event says so.
 */
#define PAGES_EVENT_RUNS 250
#define PAGES_RUNS_MAX   4000

/* Takes what derivations need. Before arena_close. */
void cover_emit_prepare(void);

/* For the text of a panic: the current badram line, and the pages that it lacks. */
void cover_emit_append(struct run *run, struct fmt_buffer *text);

/*
 * Derives the cover again and sends it, when that is due: soon after a bad page was found, but in
 * at most a tenth of the boot CPU's time if that is soon enough. Quickly while pages keep coming,
 * thoroughly once they have stopped.
 */
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
