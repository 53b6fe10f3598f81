// SPDX-License-Identifier: MIT
/*
 * Events as log lines: the `serial=text` of the contract. Lines start with the time
 * since kernel entry, as the Linux kernel's do, and are never cut.
 *
 * The last lines of a run are its result, what was not tested and why, and at the very end the
 * `badram=` line on a line of its own, or that no fault was found. For that the final badram event
 * has to precede the result event, as in the contract's table; a warning that comes after the
 * result is followed by the line once more. Lines for other systems are written as they arrive,
 * before the result; those that the user asked for by a key are for the screen.
 */
#pragma once

#include "report/text_line.h"

/* 18 KiB, and it has its address in it: place it statically. */
void text_init(struct text_log *l, struct writer out);

/* The user wants the report so far: the next progress and badram events are written in any case. */
void text_ask(struct text_log *l);

/* The sink: ctx is a struct text_log. */
void text_receive(void *ctx, const struct event *e);
