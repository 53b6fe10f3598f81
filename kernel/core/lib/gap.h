// SPDX-License-Identifier: MIT
/*
 * The time that a watchdog counts against those whom it watches. It looks again and again; where
 * two looks are far apart, it did not run itself, and most likely nobody did: an SMI keeps all CPUs
 * in system management mode until its work is done (EDK2's PiSmmCpuDxeSmm, BSPHandler), and a
 * debugger or a host stops all of a machine. Of such a gap only a part counts.
 */
#pragma once

#include <stdint.h>

#include "lib/minmax.h"

/* Since *last, which becomes `now`; `max` at most. */
static inline uint64_t gap_counted(uint64_t *last, uint64_t now, uint64_t max)
{
    uint64_t gap = now - *last;

    *last = now;
    return min_u64(gap, max);
}
