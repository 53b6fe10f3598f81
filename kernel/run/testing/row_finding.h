// SPDX-License-Identifier: MIT
/*
 * Which bank and row the addresses of each node's memory are in, found by timing
 * (rows/row_search.h) before rows are hammered for the first time.
 */
#pragma once

#include <stdint.h>

#include "plan/share.h"
#include "rows/row_search.h"

/* Nodes with their own map; on further ones rows are guessed. */
#define ROW_NODES_MAX 8

/*
 * Lets a CPU of the node look for `us` at most, unless that was done before, and sends what came of
 * it (EVENT_ROWS). Only reads memory. Boot CPU; the other CPUs have nothing to do meanwhile.
 */
void row_finding_run(const struct shares *shares, uint32_t node, uint32_t cpu, uint64_t us,
                     uint64_t seed);

/* What was found for a node (an index into machine.nodes); NULL: nothing, or not yet. */
const struct row_result *row_finding_of(uint32_t node);
