// SPDX-License-Identifier: MIT
/* Temperatures as events: at the start, at the first faults, and at the end. Boot CPU only. */
#pragma once

#include "log/fault_log.h"

/* After the modules' events. Nothing is sent here or below where no temperature is known. */
void temperature_emit_begin(void);

/* Repeatedly: reads a sensor that is due, and sends all when the first faults have come. */
void temperature_emit_poll(const struct fault_log *log);

/* At the end of the run: with the highest. */
void temperature_emit_finish(void);
