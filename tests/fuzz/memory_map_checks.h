// SPDX-License-Identifier: MIT
/* What holds for every memory map that memory_map_make makes of a loader's regions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "boot/boot_info.h"

/* Makes the map and checks it against the regions it was made of; lost: see memory_map.h. */
void memory_map_checks(const struct boot_region *given, size_t n, uint64_t lost,
                       unsigned physical_bits);
