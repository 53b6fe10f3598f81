// SPDX-License-Identifier: MIT
/*
 * Contention: what the CPUs of a node get of a node's memory while another node's CPUs read there,
 * too.
 */
#pragma once

#include <stdint.h>

#include "plan/share.h"

/*
 * For each ordered pair of nodes A and B with CPUs, what A gets of its own memory and of B's, idle
 * and while B's CPUs read the same memory: a contention event, and for the loaded latency a latency
 * event. Nodes with too little tested memory are skipped.
 */
void contention_measure(const struct shares *shares, uint32_t runs);
