// SPDX-License-Identifier: MIT
/*
 * The plugin's configuration: a text file that tools/okram writes, one item a line, numbers as C
 * writes them.
 *
 *     file PATH                             a memory backend, after the ones before it
 *     window ADDRESS OFFSET SIZE            plugin addresses of RAM (ram.h)
 *     devices VIRTUAL_ADDRESS SIZE          where the guest has devices only
 *     stuck0|stuck1|rise|fall|disturb|deceive OFFSET BIT
 *     fade OFFSET BIT NANOSECONDS
 *     leak OFFSET BIT NANOSECONDS LEFT VALUE RIGHT     what the three cells hold, 0 or 1
 *     ecc OFFSET BIT ONE_IN                 seen at one read in ONE_IN
 *     lapse OFFSET BIT EVERY STORES         of which there were STORES before
 *     invert|set0|set1|state|invert-write|invert-read OFFSET BIT VICTIM_OFFSET VICTIM_BIT
 *     couple OFFSET BIT VICTIM_OFFSET VICTIM_BIT EVENTS EFFECT [THIRD_OFFSET THIRD_BIT VALUE]
 *     bridge PAGE_OFFSET LINE LINE          0-63
 *     lost-beat|shifted-beats PAGE_OFFSET BEAT ONE_IN
 *     misread OFFSET BIT ONE_IN
 *     one-cpu OFFSET BIT VCPU
 *     all-cpus OFFSET BIT
 *     alias PAGE_OFFSET PAGE_OFFSET
 *     chip|chip-read PAGE_OFFSET BYTE_OF_WORD ONE_IN
 *     dram MAP FIELDS CHANNEL DIMM SUBCHANNEL RANK GROUP BANK FIRST_ROW ROWS ANY_COLUMN COLUMN
 *         PIN PINS BEAT ONE_IN VALUE SEED   stuck cells (dram_fault.h, enum faults_value)
 *     rare WHEN SIZE ONE_IN SEED OFFSET     errors at random times (rare.h)
 *     cpu-load|cpu-store|cpu-vector|cpu-cache VCPU ONE_IN     of its accesses (cpu.h)
 *     witness OFFSET PATH                   counts the stores of a byte into a file of 8 bytes
 *
 * All files come before all faults.
 */
#pragma once

#include <stdbool.h>

#include "cpu.h"
#include "faults.h"
#include "ram.h"

/* Fills all from the file at path. False, with a message on stderr, if a line is malformed. */
bool config_read(const char *path, struct ram *ram, struct faults *faults, struct cpu_faults *cpus);
