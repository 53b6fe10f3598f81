/*
 * The node matrix: what the CPUs of each node read and write of each node's memory, MB/s.
 */
#pragma once

#include <stdint.h>

/*
 * Measures every pair of a node with CPUs in use and a node with tested memory, op by op, runs
 * times each, and sends a bandwidth event for each. The memory's content is lost. Ends early when
 * the run is stopped.
 */
void matrix_measure(uint32_t runs);
