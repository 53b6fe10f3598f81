// SPDX-License-Identifier: MIT
/*
 * Scaling: bandwidth from one CPU to all, each in its own node's memory.
 */
#pragma once

#include <stdint.h>

#include "measure/sites.h"

/*
 * Measures triad and read with growing numbers of threads, in the order that fills one node after
 * the other and, if there are several nodes with CPUs, in the one that spreads over them; a
 * bandwidth event for each. CPUs of a node without tested memory use the nearest node's.
 */
void scaling_measure(const struct bench *bench);
