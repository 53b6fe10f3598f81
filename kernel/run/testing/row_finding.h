// SPDX-License-Identifier: MIT
/*
 * Which bank and row the addresses of each node's memory are in, found by timing
 * (rows/row_search.h) before rows are hammered for the first time.
 */
#pragma once

#include <stdint.h>

#include "run/run.h"

/*
 * Lets a CPU of the node look for `us` at most, unless that was done before, and hands what came of
 * it to faults/rows_emit.h. Only reads memory. Boot CPU; the other CPUs have nothing to do
 * meanwhile. Under a hypervisor nothing is timed: a guest's addresses are not those of the DRAM,
 * and timing may show an emulator's cache of address translations instead.
 */
void row_finding_run(const struct run *run, uint32_t node, uint32_t cpu, uint64_t us,
                     uint64_t seed);
