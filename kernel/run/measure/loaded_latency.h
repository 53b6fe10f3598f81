// SPDX-License-Identifier: MIT
/*
 * The loaded-latency curve, as Intel's Memory Latency Checker draws it: latency against the
 * bandwidth that other CPUs take meanwhile.
 */
#pragma once

#include <stdint.h>

#include "measure/sites.h"

/*
 * One CPU of the first node with CPUs and memory follows a chain in its node's memory while the
 * node's other CPUs, or those of all other nodes when it has none, move data there, from little to
 * as much as they can, with reads only and with writes: a latency event for each. With only one CPU
 * nothing is measured.
 */
void loaded_latency_measure(const struct bench *bench);
