// SPDX-License-Identifier: MIT
/* Multiboot2 boot information, from its first word on, and the memory map that it makes. */
#include <stdlib.h>
#include <string.h>

#include "boot/multiboot2/tags.h"
#include "firmware/efi_tables.h"
#include "fuzz.h"
#include "memory_map_checks.h"

static struct boot_info info;

static void check_address(uint64_t phys, const uint8_t *bytes, size_t size, size_t room)
{
    if (phys)
        CHECK(phys - (uintptr_t)bytes <= size && size - (phys - (uintptr_t)bytes) >= room);
}

struct memory {
    const uint8_t *bytes;
    size_t size;
};

static const void *map(void *ctx, uint64_t phys, size_t length)
{
    const struct memory *m = ctx;

    return phys <= m->size && length <= m->size - phys ? m->bytes + phys : NULL;
}

/* The same bytes, as the machine's memory at the system table. */
static void find_tables(const uint8_t *bytes, size_t size)
{
    struct memory memory = { bytes, size };
    const struct phys_reader reader = { .map = map, .ctx = &memory };
    struct efi_tables tables;
    uint64_t at;
    bool is_64;

    if (multiboot2_efi(bytes, size, &at, &is_64))
        efi_tables_find(&reader, at, is_64, &tables);
    efi_tables_find(&reader, 8, true, &tables);
    efi_tables_find(&reader, 8, false, &tables);
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
    find_tables(copy, size);
    memory_map_checks(info.region, info.n_regions, info.regions_lost, 46);
    free(copy);
    return 0;
}
