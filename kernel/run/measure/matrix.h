// SPDX-License-Identifier: MIT
/*
 * The node matrix: what the CPUs of each node move of each node's memory, MB/s.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/share.h"

/*
 * Measures every pair of a node with CPUs in use and a node with tested memory, runs times each,
 * and sends a bandwidth event for each: read and write by all CPUs of the node; with `full` all ops
 * of STREAM, too, and each op by one CPU alone. The memory's content is lost. Ends early when the
 * run is stopped.
 */
void matrix_measure(const struct shares *shares, uint32_t runs, bool full);

/*
 * What all CPUs of one node read of another's memory, by index into machine.nodes, in MB/s; 0: it
 * was not measured.
 */
double matrix_read_mb_s(uint32_t cpu_node, uint32_t mem_node);

/* The largest array that was read of a node's memory, by its index; 0: none was. */
uint64_t matrix_array_bytes(uint32_t mem_node);
