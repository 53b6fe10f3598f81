// SPDX-License-Identifier: MIT
/* Which bank and row addresses are in, as far as timing has shown it (testing/hammering.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rows/row_search.h"

/* Nodes with their own map; on further ones rows are guessed. */
#define ROW_NODES_MAX 8

/*
 * Sends what a search came to, and keeps it. node: an index into machine.nodes. part: a number of
 * the memory that was timed by itself; those from 1 on are of a machine with one node. Boot CPU.
 */
void rows_emit(uint32_t node, unsigned part, const struct row_result *result);

/* Whether a search of the node's first part has ended; or the node is one of those without. */
bool rows_are_searched(uint32_t node);

/* What was found for a node, its rows, or at least its banks; NULL: nothing, or not yet. Where
 * parts differ: for the first. */
const struct row_result *rows_of_node(uint32_t node);
const struct row_result *banks_of_node(uint32_t node);

/* The same for a further part of the first node. */
const struct row_result *banks_of_part(unsigned part);
