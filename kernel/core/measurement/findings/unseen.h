// SPDX-License-Identifier: MIT
/*
 * Modules that SMBIOS lists, but whose memory is not in firmware's memory map: a pass says nothing
 * of them. docs/coverage.md has the rule and its reasons.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "firmware/memory_map.h"
#include "firmware/smbios_memory.h"

struct unseen {
    uint32_t modules;     /* that are not seen; 0: all are, or nothing can be said */
    uint32_t of;          /* modules that are listed */
    bool at_least;        /* they have different sizes: it may be more */
    bool may_be_mirrored; /* half of it is missing, which a mirror looks like, too */
};

/*
 * ram_bytes, and what graphics in the CPU has: reserved memory of 1 GiB or more that adjoins RAM.
 * What is smaller, or stands alone, is more likely a window of devices.
 */
uint64_t unseen_present_bytes(const struct memory_map *map, uint64_t ram_bytes);

/* slots: NULL: unknown. usable_bytes: of unseen_present_bytes. */
struct unseen unseen_find(const struct smbios_memory *slots, uint64_t usable_bytes);
