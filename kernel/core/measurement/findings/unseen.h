// SPDX-License-Identifier: MIT
/*
 * Memory that modules have, but that is not in firmware's memory map: a pass says nothing of it.
 * Three inventories are compared here: what SMBIOS lists, the modules' SPDs on the
 * SMBus, and the map. docs/coverage.md has the rule and its reasons.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "findings/dram_top.h"
#include "firmware/memory_map.h"
#include "firmware/smbios_memory.h"
#include "spd/modules.h"

struct unseen_facts {
    const struct smbios_memory *slots; /* NULL: unknown */
    const struct modules *modules;     /* those with an SPD count */
    const struct memory_map *map;
    struct dram_top top; /* total_bytes 0: unknown */
    bool has_graphics;   /* by AMD or Intel, which may be in the CPU and use its memory */
};

struct unseen {
    uint64_t missing_bytes;   /* more than firmware and graphics explain; 0: nothing is missing, or
                                 nothing can be said */
    uint64_t installed_bytes; /* that modules have */
    uint32_t modules;         /* that are not seen; 0: less than one is missing */
    uint32_t of;              /* modules that there are */
    bool at_least;            /* they have different sizes: it may be more */
    bool may_be_mirrored;     /* half of it is missing, which a mirror looks like, too */
    /* SMBus addresses of modules that SMBIOS does not list; those not seen are among them. */
    uint8_t n_at, at[MODULE_SPDS_MAX];
};

struct unseen unseen_find(const struct unseen_facts *facts);
