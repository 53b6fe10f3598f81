// SPDX-License-Identifier: MIT
/*
 * Firmware's tables while the early page tables are on: those that these reach (arch/paging.h).
 * Boot CPU only.
 */
#pragma once

#include "firmware/memory_map.h"
#include "firmware/phys.h"

/* Looks at the map at each read: nothing is read of devices or of persistent memory. */
struct phys_reader early_reader(const struct memory_map *map);
