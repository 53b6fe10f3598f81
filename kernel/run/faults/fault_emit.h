// SPDX-License-Identifier: MIT
/* The events of the faults and aliases found since the last call. Boot CPU only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "faults/reporter.h"

/* Before the machine's event: warns if memory is encrypted according to the CPU. */
void fault_emit_begin(struct external *external);

/* Sends faults, for about max_us; the last record may take longer on a serial port. */
void fault_emit(struct run *run, uint64_t max_us);

/*
 * After a round, all other CPUs idle: tests lines again that a device or firmware may have written,
 * and logs them as faults or sends them as external writes; so it does with what has changed in low
 * memory. Memory under test then holds any data. wait: waits that time; false: it is too long.
 */
void fault_emit_external(struct run *run, bool (*wait)(void *run, uint64_t us));

/*
 * All other CPUs idle: repeats a march with 18 stores (low_scan) over the tested memory below 1
 * MiB. That takes milliseconds, so a fault there is reported before all memory is swept, and one
 * that is rare has more chances. Does nothing with lowmem=test, whose tests count each change.
 */
void fault_emit_low(struct run *run, struct test_place place, unsigned scans);

/* All other CPUs idle: sends the aliases that a test found. */
void fault_emit_aliases(struct run *run, struct test_place place);

/*
 * All other CPUs idle: sends the aliases of okram's own memory (self/own_aliases.h), which no test
 * found. Call it before a test may find others.
 */
void fault_emit_own_aliases(struct run *run, uint32_t pass);
