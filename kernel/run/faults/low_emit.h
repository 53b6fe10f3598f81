// SPDX-License-Identifier: MIT
/* What changed below 1 MiB in a round: a fault of cells, or written by firmware. */
#pragma once

#include "external/low_memory.h"
#include "run/run.h"

/*
 * After a round, all other CPUs idle: tests memory below 1 MiB again if anything has changed there
 * (external/low_memory.h); it holds any data then. Logs faults, and hands all else to `written`.
 */
void low_emit_judge(struct run *run,
                    void (*written)(const struct run *run, const struct low_change *change));
