// SPDX-License-Identifier: MIT
/*
 * bandwidth.prefetch=off: hardware prefetchers are off while bandwidth and latency are measured,
 * on the CPUs that have a documented register for that (cpudata/prefetch.h). A CPU that is lost
 * meanwhile puts its register back before it is parked (arch/trap.c). Boot CPU only.
 */
#pragma once

#include "measure/sites.h"

/*
 * On all chosen CPUs. Returns what records say: "off", "partly off", "not known"; a notice says why
 * it is not "off".
 */
const char *prefetch_turn_off(const struct bench *bench);

/* All registers have what they had before; nothing happens where prefetch_turn_off was not called.
 */
void prefetch_put_back(const struct bench *bench);
