// SPDX-License-Identifier: MIT
/*
 * What keeping data redundantly costs, as a BIOS's mirroring mode would do or less: writes to one
 * node's memory, plain, with a copy and with parity in another's.
 */
#pragma once

#include <stdint.h>

#include "plan/share.h"

/*
 * For each node with CPUs and memory: data in its own memory with redundancy in the nearest other
 * node's, and data in the other's with redundancy in its own; on a machine with one node of memory
 * both in different places of it. All CPUs of the node write. A redundancy event for each.
 */
void redundancy_measure(const struct shares *shares, uint32_t runs);
