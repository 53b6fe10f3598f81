// SPDX-License-Identifier: MIT
/*
 * What repairs faults of memory before any test can see them (docs/coverage.md, "Mirroring,
 * sparing, and ECC that the memory does by itself"), as far as a machine shows it. Nothing shows
 * sparing: SMBIOS has no field for it, nor for mirroring, and the SRAT has none for either.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "firmware/memory_ecc.h"
#include "firmware/smbios_memory.h"

/* Bits. */
enum memory_repair {
    MEMORY_REPAIR_MIRRORING = 1,       /* of all memory: by registers */
    MEMORY_REPAIR_RANGE_MIRRORING = 2, /* of a part: by registers, or by UEFI's memory map */
    MEMORY_REPAIR_IN_BAND_ECC = 4,     /* by registers */
    MEMORY_REPAIR_ON_DIE_ECC = 8,      /* every DDR5 chip has it (JESD79-5, 2.1) */
};
#define MEMORY_REPAIRS 4u

/*
 * The bits for this machine. memory: NULL if SMBIOS lists none. more_reliable_bytes: of
 * EFI_MEMORY_MORE_RELIABLE in UEFI's memory map, which firmware sets for the mirrored part where
 * not all memory is equally reliable (UEFI 2.10, 7.2.3).
 */
unsigned memory_repair_find(const struct smbios_memory *memory, const struct ecc_control *control,
                            uint64_t more_reliable_bytes);

/* Lists the names of these bits, as "on-die ECC", which are the words in JSON, too. How many. */
size_t memory_repair_names(unsigned repair, const char *ret_name[MEMORY_REPAIRS]);
