// SPDX-License-Identifier: MIT
/*
 * A map as EFI firmware gives it, and what okram makes of it. The input: bytes of a descriptor (1),
 * eight that are passed over, and the descriptors.
 */
#include "boot/uefi/efi_map.h"

#include <stdlib.h>

#include "fuzz.h"
#include "memory_map_checks.h"

EFI_BOOT_SERVICES *BS; /* efi_map.c refers to it; the target does not get there */

static struct boot_info info;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    struct efi_map map = { .descriptor_bytes = fuzz_number(&in, 1) };

    fuzz_number(&in, 8);
    map.buffer = fuzz_copy(in.bytes, in.left);
    map.size_bytes = map.capacity_bytes = in.left;
    info.n_regions = 0;
    info.regions_lost = 0;
    const struct boot_region *region = efi_map_convert(&map, &info);
    CHECK(info.n_regions <= BOOT_REGIONS_MAX);
    for (size_t i = 0; i < info.n_regions; i++)
        CHECK(region[i].size > 0);
    memory_map_checks(region, info.n_regions, info.regions_lost, 48);
    free(map.buffer);
    return 0;
}
