// SPDX-License-Identifier: MIT
/*
 * Memory that modules have, but that is not in firmware's memory map: a pass says nothing of it.
 * Three inventories are compared here: what SMBIOS lists, the modules' SPDs on the
 * SMBus, and the map:
 *
 * - Installed is what SMBIOS lists, or what SPDs with a right CRC add up to, if that is more.
 * - Accounted for is all RAM of the map, and what it has as reserved at the end of RAM, above 4 GiB
 *   also before it; by Intel's registers (below) only as much as they have.
 * - Firmware may keep 1/16 without listing it, but 16 to 256 MiB, and 1/64 above 16 GiB; without
 *   those registers, graphics by AMD or Intel a quarter, at most 2 GiB. Where no RAM is above 4
 * GiB, up to 4 GiB are installed, and RAM reaches 2.5 GiB, the addresses of PCI may hide the rest.
 * - If more is missing and all modules have one size, the number not seen is how many fit into what
 *   is missing, else at least one; about half (a quarter of a module more or less): mirroring.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "firmware/memory_map.h"
#include "firmware/smbios_memory.h"
#include "lib/span.h"
#include "spd/modules.h"

/*
 * How much memory the controllers of Intel's processors with graphics have, and which of it they
 * leave to programs: TOM, TOUUD, BDSM, BGSM, TSEGMB and TOLUD of the host bridge 00:00.0, at the
 * same places since the 2nd generation Core (datasheets vol. 2, "Host Bridge/DRAM Registers"; 4th
 * generation: 3.1.21 to 3.1.28). Between TSEGMB and TOLUD are memory of SMM, the graphics' page
 * tables and its stolen memory; the management engine has the end of TOM.
 */
#define DRAM_TOP_FIRST 0xa0u /* configuration space: the words from here on... */
#define DRAM_TOP_WORDS 8u    /* ...that dram_top_decode takes */

struct dram_top {
    uint64_t total_bytes;  /* of all modules; 0: unknown, as is the rest */
    struct span usable[2]; /* below 4 GiB, and above; size 0: there is none there */
};

/*
 * False: these are not such registers. Other host bridges have something else there, so they are
 * believed only where all are whole MiB, in the order that they must have, and add up.
 */
bool dram_top_decode(const uint32_t word[DRAM_TOP_WORDS], struct dram_top *ret_top);

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
