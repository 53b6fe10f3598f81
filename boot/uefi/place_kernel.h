// SPDX-License-Identifier: MIT
/* The kernel's way into memory that firmware has free. */
#pragma once

#include <efi.h>

#include "boot/check/image_copies.h"
#include "boot/load/good_pages.h"

struct placed_kernel {
    const struct image_check *check;
    struct good_pages pages; /* behind the image's own: the buffer for firmware's memory map */
};

/*
 * Puts the image into pages without faulty cells below 4 GiB, and collects pages for the memory map
 * behind it. Taking pages adds descriptors to the map: once they are taken, the buffer still has
 * room for what is allocated until the kernel is entered. bad: the bad pages met on the way. Says
 * on the console how the search goes. EFI_OUT_OF_RESOURCES: there are not so many good pages;
 * EFI_BUFFER_TOO_SMALL: the map is larger than the kernel's page tables have room for.
 */
EFI_STATUS place_kernel(const struct image_copies *kernel, struct bad_pages *bad,
                        struct placed_kernel *ret_placed);
