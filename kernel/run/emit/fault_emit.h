// SPDX-License-Identifier: MIT
/* The events of the faults and aliases found since the last call. Boot CPU only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "emit/reporter.h"

/* Before the machine's event: whether memory is encrypted by the CPU's word; says so. */
void fault_emit_begin(void);

/* Sends faults, for max_us at most, or little longer: a serial port is slow. */
void fault_emit(uint64_t max_us);

/*
 * After a round, no other CPU at work: tests lines again that somebody else may have written, and
 * logs them or sends them as such; and sends what has changed in low memory. Memory under test
 * holds any data then. wait: for so long; false: that is too long.
 */
void fault_emit_external(bool (*wait)(uint64_t us));

/* No other CPU at work: sends the aliases that a test found. */
void fault_emit_aliases(struct test_place place);

/*
 * No other CPU at work: sends the aliases of okram's own memory (self/own_aliases.h), which no test
 * found. Before a test may find others.
 */
void fault_emit_own_aliases(uint32_t pass);
