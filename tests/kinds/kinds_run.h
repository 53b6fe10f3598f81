// SPDX-License-Identifier: MIT
/*
 * A pass of a level over a machine with a fault, as okram would see it: its tests' marches and data
 * over the lines that are kept, in the order of the sweeps; the log of the first faults, the sample
 * of others; aliases; and bad pages tested again. Then the kind, by the code that ships.
 *
 * Left out: block move, row hammer, other CPUs' order where shares meet, and that a log in bad
 * memory may be damaged.
 */
#pragma once

#include "kind/kind.h"
#include "tests/kinds/faulty.h"

/* False: the pass has found nothing. */
bool kinds_run(struct faulty *f, const char *level, struct kind_verdict *ret);
