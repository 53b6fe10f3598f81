// SPDX-License-Identifier: MIT
/* The memory map: taken from firmware, and handed to the kernel (UEFI 2.10, 7.2.3). */
#pragma once

#include <efi.h>

#include "boot/boot_info.h"

struct efi_map {
    uint8_t *buffer;
    UINTN capacity_bytes;
    UINTN size_bytes;
    UINTN descriptor_bytes; /* of this firmware: newer descriptors may be longer than these */
    UINTN key;
};

/* The bytes of a buffer that holds the map as it is now, and `spare` more descriptors. */
EFI_STATUS efi_map_bytes(UINTN spare, uint64_t *ret_bytes);

/* Takes the map as it is now, into buffer and capacity_bytes. Allocates nothing. */
EFI_STATUS efi_map_read(struct efi_map *map);

/*
 * Converts the map, in its buffer, to regions in firmware's order, info->n_regions of them, for
 * info->region[], and adds up info->more_reliable_bytes. A region is merged with the one before if
 * they adjoin and are alike. Descriptors that are shorter than UEFI's, or cut off, are left out.
 * Needs no firmware.
 */
const struct boot_region *efi_map_convert(const struct efi_map *map, struct boot_info *info);
