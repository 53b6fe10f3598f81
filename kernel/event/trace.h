// SPDX-License-Identifier: MIT
/*
 * The trace that trace= asks for: moves of okram, CPUs and calls of firmware, as they happen. It is
 * for finding the cause of a hang or of a slow run; the run does not depend on it.
 *
 * A call of firmware may be made by another CPU than the boot CPU, which alone sends events: such a
 * call is queued, and sent when the boot CPU polls. There is one call at a time.
 */
#pragma once

#include "event/events.h"

/* Bits of enum option_trace; nothing is traced before. */
void trace_begin(uint32_t what);

/* Boot CPU: sends it now, if it is asked for. */
void trace_send(const struct event_trace *trace);

/*
 * For the CPU that calls firmware: sent later by the boot CPU. Texts but the variable's name are
 * constants.
 */
void trace_queue(const struct event_trace *trace);

/* Boot CPU: sends what is queued. */
void trace_send_queued(void);
