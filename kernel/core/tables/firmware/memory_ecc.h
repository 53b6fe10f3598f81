// SPDX-License-Identifier: MIT
/*
 * Whether ECC is on: by the memory controller's registers where they were read, else by what SMBIOS
 * says of the width of the modules and of the correction of their array (DMTF DSP0134 3.7, 7.17.3
 * and 7.18).
 */
#pragma once

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
    unsigned repair; /* bits: firmware/memory_repair.h */
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
