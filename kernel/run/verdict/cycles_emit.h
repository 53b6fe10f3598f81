// SPDX-License-Identifier: MIT
/* This run as one of several starts (options/cycles.h). */
#pragma once

#include "run/run.h"

/* Once the modules are known: warns if they are not those of the starts before. */
void cycles_emit_begin(struct run *run);

/* Before the result: counts this start, and sends the event. keeps_report: in UEFI variables. */
void cycles_emit_end(struct run *run, bool keeps_report);
