// SPDX-License-Identifier: MIT
/* What bandwidth_measure measures, each part in a file of its name. It sends events. */
#pragma once

#include "measure/sites.h"

/*
 * The cache table: size, bandwidth and latency of each data or unified cache and of memory.
 *
 * Measures the caches of one CPU of the first node with CPUs and memory, by arrays and chains in
 * its own node's memory, and sends a cache event for each level; memory is level 0 and comes
 * last.
 */
void cache_table_measure(const struct bench *bench);

/*
 * Cache to cache: how long a CPU waits for a line that is in another CPU's cache, clean or
 * modified.
 *
 * For each kind of neighbours that the machine has (cpudata/cpu_pairs.h) one pair of CPUs, with
 * lines of the memory of either's node: a cache_to_cache event for each node and state.
 */
void cache_to_cache_measure(const struct bench *bench);

/*
 * Scaling: bandwidth from one CPU to all, each in its own node's memory.
 *
 * Measures each operation with growing numbers of threads, in turns (bandwidth/sizing.h), in the
 * order that fills one node after the other, in the one that spreads over them if there are several
 * nodes with CPUs, and by efficiency cores alone; a bandwidth event for each. CPUs of a node
 * without tested memory use the nearest node's.
 */
void scaling_measure(const struct bench *bench);

/*
 * Contention: the bandwidth and latency of a node's memory for one node's CPUs while another
 * node's CPUs read there, too.
 *
 * For each ordered pair of nodes A and B with CPUs, A's figures for its own memory and for B's,
 * idle and while B's CPUs read the same memory: a contention event, and a latency event for the
 * loaded latency. Nodes with too little tested memory are skipped.
 */
void contention_measure(const struct bench *bench);

/*
 * The loaded-latency curve, as Intel's Memory Latency Checker draws it: latency against the
 * bandwidth that other CPUs take meanwhile.
 *
 * One CPU of the first node with CPUs and memory follows a chain in its node's memory while the
 * node's other CPUs, or those of all other nodes when it has none, move data there, from little
 * to as much as they can, with reads only and with writes: a latency event for each. With only
 * one CPU nothing is measured.
 */
void loaded_latency_measure(const struct bench *bench);

/*
 * The cost of redundant data, as with a BIOS's mirroring mode or with less: writes to one
 * node's memory, plain, with a copy and with parity in another's.
 *
 * For each node with CPUs and memory: data in its own memory with redundancy in the nearest
 * other node's, and the reverse; on a machine with one node of memory both in different parts of
 * it. All CPUs of the node write. A redundancy event for each.
 */
void redundancy_measure(const struct bench *bench);
