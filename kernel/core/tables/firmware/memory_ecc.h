// SPDX-License-Identifier: MIT
/*
 * Whether ECC is on: by the memory controller's registers where they were read, else by what SMBIOS
 * says of the width of the modules and of the correction of their array (DMTF DSP0134 3.7, 7.17.3
 * and 7.18). And what else repairs faults of memory.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "firmware/smbios_memory.h"

enum memory_ecc_state {
    MEMORY_ECC_UNKNOWN,
    MEMORY_ECC_ON,
    MEMORY_ECC_OFF,
    MEMORY_ECC_UNUSED, /* off, although the modules have it */
};

struct memory_ecc {
    enum memory_ecc_state state;
    const char *by; /* "controller", "smbios"; NULL: the state is unknown */
};

enum ecc_answer { ECC_NOT_SAID, ECC_YES, ECC_NO };

/* What a memory controller's registers say. All zero: nothing. */
struct ecc_control {
    enum ecc_answer is_on;
    enum ecc_answer modules_have_it;
    unsigned repair; /* bits: enum memory_repair */
};

/*
 * memory: NULL if SMBIOS lists none. By SMBIOS alone ECC is on only where the modules have the bits
 * and their array is said to correct errors: firmware names a method also where modules have none.
 * Parity and CRC are not ECC, and say nothing.
 */
struct memory_ecc memory_ecc_judge(const struct smbios_memory *memory,
                                   const struct ecc_control *control);

/* "unknown", "on", "off", "unused": the word in JSON. */
const char *memory_ecc_word(enum memory_ecc_state state);

/* "ECC off, although the modules have it", and the like; "": unknown. */
const char *memory_ecc_phrase(enum memory_ecc_state state);

/*
 * What repairs faults of memory before any test can see them (docs/coverage.md, "Mirroring,
 * sparing, and ECC that the memory does by itself"), as far as a machine shows it. Nothing shows
 * sparing: SMBIOS has no field for it, nor for mirroring, and the SRAT has none for either. Bits.
 */
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
