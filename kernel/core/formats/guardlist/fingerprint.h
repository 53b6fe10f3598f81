// SPDX-License-Identifier: MIT
/*
 * How the guard recognises the machine for which a list was made: by the board's UUID and the
 * memory modules of SMBIOS (DMTF DSP0134 3.7, 7.2 and 7.18), and how much RAM there is.
 *
 * Anybody can read UEFI variables on a running system, and only root the UUID: a list has a hash of
 * it. The hash has a salt, so that it says nothing about other lists, and no table of hashes helps.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "firmware/smbios.h"

struct guard_fingerprint {
    /*
     * With a salt: the first bytes of HMAC-SHA-256 of the UUID, the salt as the key. Without one
     * (all 0) the UUID itself, as in SMBIOS: all 0 or all ff: none. All 0 with a salt: none, too.
     */
    uint8_t board[16];
    uint64_t installed_bytes; /* of all modules; 0: unknown */
    uint64_t ram_bytes;       /* in the memory map, reserved memory not counted */
    uint32_t n_modules;
    uint32_t modules_crc32c; /* over locator, size, part and serial number of each, in order */
    uint8_t salt[16];
};

/*
 * This machine, without a salt. smbios NULL or damaged: what can be read counts, the rest is 0.
 * ram_bytes: of all entries of the memory map that are RAM, those that are unusable, ACPI's and the
 * runtime services' included.
 */
void guard_fingerprint_read(const struct smbios *smbios, uint64_t ram_bytes,
                            struct guard_fingerprint *ret_machine);

/* Replaces the UUID by its hash, with a salt that is made of it and these bytes. Only once. */
void guard_fingerprint_hide(struct guard_fingerprint *machine, const void *bytes, size_t n);

/*
 * NULL: the same machine with the same modules. Otherwise what differs: "the memory modules".
 * ram_bytes may differ by 1/64, because some firmware's own share varies. Two hashes with different
 * salts cannot be compared, and count as different: one of the two must be without a salt.
 */
const char *guard_fingerprint_differs(const struct guard_fingerprint *listed,
                                      const struct guard_fingerprint *here);
