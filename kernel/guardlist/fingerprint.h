// SPDX-License-Identifier: MIT
/*
 * By what the guard knows the machine again for which a list was made: the board's UUID and the
 * memory modules of SMBIOS (DMTF DSP0134 3.7, 7.2 and 7.18), and how much RAM there is.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "firmware/smbios.h"

struct guard_fingerprint {
    uint8_t board_uuid[16];   /* as in SMBIOS; all 0 or all ff: none */
    uint64_t installed_bytes; /* of all modules; 0: unknown */
    uint64_t ram_bytes;       /* in the memory map, reserved memory not counted */
    uint32_t n_modules;
    uint32_t modules_crc32c; /* over locator, size, part and serial number of each, in order */
};

/*
 * smbios NULL or damaged: what can be read counts, the rest is 0. ram_bytes: of all entries of the
 * memory map that are RAM, those that are unusable, ACPI's and the runtime services' included.
 */
void guard_fingerprint_read(const struct smbios *smbios, uint64_t ram_bytes,
                            struct guard_fingerprint *ret_machine);

/*
 * NULL: the same machine with the same modules. Otherwise what differs: "the memory modules".
 * ram_bytes may differ by 1/64, as some firmware's own share varies.
 */
const char *guard_fingerprint_differs(const struct guard_fingerprint *listed,
                                      const struct guard_fingerprint *here);
