// SPDX-License-Identifier: MIT
/* The node matrix: the MB/s that the CPUs of each node reach with each node's memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bandwidth/welch.h"
#include "measure/sites.h"

/*
 * Measures every pair of a node with CPUs in use and a node with tested memory, runs times each,
 * and sends a bandwidth event for each: read and write by all CPUs of the node; with `full` also
 * all operations of STREAM, and each operation by one CPU alone. The pairs are measured in turns.
 * The memory's content is lost. Ends early when the run is stopped.
 */
void matrix_measure(const struct bench *bench, bool full);

/*
 * The MB/s that all CPUs of one node read from another's memory, both indices into machine.nodes;
 * its n is 0: not measured.
 */
struct spread matrix_read_mb_s(uint32_t cpu_node, uint32_t mem_node);

/* The largest array that was read in a node's memory, by the node's index; 0: none was. */
uint64_t matrix_array_bytes(uint32_t mem_node);
