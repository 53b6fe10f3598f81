// SPDX-License-Identifier: MIT
#include "this_machine.h"

#include <efilib.h>

#include "boot/uefi/efi_map.h"
#include "boot/uefi/firmware_tables.h"
#include "firmware/memory_map.h"
#include "firmware/region_kind.h"
#include "lib/string.h"

#define SPARE_DESCRIPTORS 16 /* allocating the buffer adds some */

static uint64_t ram_bytes_of(const struct efi_map *map)
{
    uint64_t pages = 0;

    for (UINTN at = 0; at + map->descriptor_bytes <= map->size_bytes; at += map->descriptor_bytes) {
        EFI_MEMORY_DESCRIPTOR d;

        memcpy(&d, map->buffer + at, sizeof(d));
        if (memory_kind_is_ram(region_kind_of_efi(d.Type, d.Attribute)))
            pages += d.NumberOfPages;
    }
    return pages * EFI_PAGE_SIZE;
}

static EFI_STATUS read_ram_bytes(uint64_t *ret_bytes)
{
    struct efi_map map = { 0 };
    uint64_t bytes = 0;
    EFI_STATUS status = efi_map_bytes(SPARE_DESCRIPTORS, &bytes);

    if (EFI_ERROR(status))
        return status;
    map.capacity_bytes = (UINTN)bytes;
    map.buffer = AllocatePool(map.capacity_bytes);
    if (!map.buffer)
        return EFI_OUT_OF_RESOURCES;
    status = efi_map_read(&map);
    if (!EFI_ERROR(status) && map.descriptor_bytes < sizeof(EFI_MEMORY_DESCRIPTOR))
        status = EFI_UNSUPPORTED;
    if (!EFI_ERROR(status))
        *ret_bytes = ram_bytes_of(&map);
    FreePool(map.buffer);
    return status;
}

EFI_STATUS this_machine_fingerprint(struct guard_fingerprint *ret_machine)
{
    uint64_t ram_bytes = 0;
    struct smbios smbios;
    EFI_STATUS status = read_ram_bytes(&ram_bytes);

    if (EFI_ERROR(status))
        return status;
    if (firmware_tables_open_smbios(&smbios))
        guard_fingerprint_read(&smbios, ram_bytes, ret_machine);
    else
        guard_fingerprint_read(NULL, ram_bytes, ret_machine);
    return EFI_SUCCESS;
}
