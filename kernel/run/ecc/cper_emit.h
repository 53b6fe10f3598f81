// SPDX-License-Identifier: MIT
/*
 * Errors of memory that firmware reports (machine/error_sources.h), sent as events and counted for
 * the verdict. One with an exact address marks its page as bad in the fault log.
 */
#pragma once

#include "log/fault_log.h"

/*
 * Sends what firmware reported before okram started as warnings: it does not count. After
 * log_memory_begin.
 */
void cper_emit_begin(void);

/* Boot CPU, repeatedly: sends what is new; cheap when it is not yet due. */
void cper_emit_poll(struct fault_log *log);

/* Boot CPU, at the end of the run: looks once more, and sends the counts that were not sent yet. */
void cper_emit_finish(struct fault_log *log);
