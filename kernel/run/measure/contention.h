// SPDX-License-Identifier: MIT
/*
 * Contention: the bandwidth and latency of a node's memory for one node's CPUs while another node's
 * CPUs read there, too.
 */
#pragma once

#include <stdint.h>

#include "measure/sites.h"

/*
 * For each ordered pair of nodes A and B with CPUs, A's figures for its own memory and for B's,
 * idle and while B's CPUs read the same memory: a contention event, and a latency event for the
 * loaded latency. Nodes with too little tested memory are skipped.
 */
void contention_measure(const struct bench *bench);
