// SPDX-License-Identifier: MIT
/* Multiboot2 boot information, from its first word on, and the memory map that it makes. */
#include <stdlib.h>
#include <string.h>

#include "boot/multiboot2/tags.h"
#include "fuzz.h"
#include "memory_map_checks.h"

static struct boot_info info;

static void check_address(uint64_t phys, const uint8_t *bytes, size_t size, size_t room)
{
    if (phys)
        CHECK(phys - (uintptr_t)bytes <= size && size - (phys - (uintptr_t)bytes) >= room);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = fuzz_copy(bytes, size);

    memset(&info, 0, sizeof(info));
    multiboot2_read(copy, size, &info);
    CHECK(info.magic == BOOT_INFO_MAGIC && info.size == sizeof(info));
    CHECK(info.firmware == BOOT_BIOS || info.firmware == BOOT_UEFI);
    CHECK(memchr(info.cmdline, 0, sizeof(info.cmdline)) && memchr(info.loader, 0, BOOT_LOADER_MAX));
    CHECK(memchr(info.conf, 0, sizeof(info.conf)));
    CHECK(info.n_regions <= BOOT_REGIONS_MAX);
    check_address(info.rsdp, copy, size, 20);
    check_address(info.smbios, copy, size, 24);
    memory_map_checks(info.region, info.n_regions, info.regions_lost, 46);
    free(copy);
    return 0;
}
