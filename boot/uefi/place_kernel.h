// SPDX-License-Identifier: MIT
/* The search for the kernel's pages in firmware's free memory. */
#pragma once

#include <efi.h>

#include "boot/check/image_check.h"
#include "boot/load/good_pages.h"

struct placed_kernel {
    const struct image_check *check;
    struct good_pages pages; /* after the image's own: the buffer for firmware's memory map */
};

/*
 * Loads the image to fault-free pages below 4 GiB, and takes further ones after it for the memory
 * map. Taking pages adds descriptors to the map: the buffer has room for these and for what is
 * allocated until the kernel is entered. bad: the bad pages found. Prints the progress of the
 * search. EFI_OUT_OF_RESOURCES: there are too few good pages;
 * EFI_CRC_ERROR: a page of the image is damaged in both copies;
 * EFI_BUFFER_TOO_SMALL: the map is larger than the kernel's page tables have room for.
 */
EFI_STATUS place_kernel(const struct image_copies *kernel, struct bad_pages *bad,
                        struct placed_kernel *ret_placed);

/* Whether its pages from number `first` to the last are adjoining physical memory. */
bool placed_adjoin(const struct placed_kernel *placed, uint32_t first);

/*
 * Writes n bytes to the image, `offset` from its base. Physical addresses are pointers: firmware's
 * page tables or the kernel's may be on.
 */
void placed_write(const struct placed_kernel *placed, uint64_t offset, const void *bytes, size_t n);
