// SPDX-License-Identifier: MIT
/*
 * Idle latency: one CPU follows a random chain of lines, and nothing else runs.
 */
#pragma once

#include <stdint.h>

#include "event/events.h"
#include "lib/span.h"
#include "measure/sites.h"

/*
 * Builds a chain in `memory` for a CPU, well beyond its caches if memory allows it, and returns it.
 * Size 0: there is not even a line.
 */
struct span latency_chain(const struct bench *bench, uint32_t cpu, struct span memory);

/*
 * The nanoseconds that a CPU waits for a load from the memory of mem_node, an index into
 * machine.nodes; no runs: the run is stopped, or there is no tested memory. ret_chain: the chain
 * that was built for it.
 */
struct event_stats latency_memory_ns(const struct bench *bench, uint32_t cpu, uint32_t mem_node,
                                     struct span *ret_chain);

/*
 * The curve of lmbench's lat_mem_rd: one CPU of the first node with CPUs and memory, in its own
 * node's memory, with growing sizes. A latency event for each. Its last point, well beyond the
 * caches, is the one that latency_matrix measures there.
 */
void latency_curve(const struct bench *bench);

/*
 * The matrix: one CPU of each node with CPUs, on each node with tested memory, well beyond the
 * caches. A latency event for each.
 */
void latency_matrix(const struct bench *bench);
