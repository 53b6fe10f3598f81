// SPDX-License-Identifier: MIT
/*
 * The cache table: size, bandwidth and latency of each data or unified cache and of memory.
 */
#pragma once

#include <stdint.h>

#include "measure/sites.h"

/*
 * Measures the caches of one CPU of the first node with CPUs and memory, by arrays and chains in
 * its own node's memory, and sends a cache event for each level; memory is level 0 and comes last.
 */
void cache_table_measure(const struct bench *bench);
