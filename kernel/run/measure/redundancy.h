// SPDX-License-Identifier: MIT
/*
 * The cost of redundant data, as with a BIOS's mirroring mode or with less: writes to one node's
 * memory, plain, with a copy and with parity in another's.
 */
#pragma once

#include <stdint.h>

#include "measure/sites.h"

/*
 * For each node with CPUs and memory: data in its own memory with redundancy in the nearest other
 * node's, and the reverse; on a machine with one node of memory both in different parts of it. All
 * CPUs of the node write. A redundancy event for each.
 */
void redundancy_measure(const struct bench *bench);
