// SPDX-License-Identifier: MIT
#include "memory.h"

#include <efilib.h>

#include "boot/uefi/efi_map.h"
#include "boot/uefi/firmware_tables.h"
#include "firmware/region_kind.h"
#include "lib/string.h"

/* The allocation of the buffers itself makes more descriptors. */
#define SPARE_DESCRIPTORS 16

/* STATUS_NOT_FOUND: it is not RAM. */
static enum status use_of(const EFI_MEMORY_DESCRIPTOR *d, enum guard_use *ret_use)
{
    switch (region_kind_of_efi(d->Type, d->Attribute)) {
    case BOOT_REGION_USABLE:
    case BOOT_REGION_SPECIFIC:
        *ret_use = d->Type == EfiConventionalMemory ? GUARD_FREE : GUARD_HELD;
        return STATUS_OK;
    case BOOT_REGION_RUNTIME:
    case BOOT_REGION_ACPI_RECLAIM:
    case BOOT_REGION_ACPI_NVS: *ret_use = GUARD_KEPT; return STATUS_OK;
    case BOOT_REGION_BAD: *ret_use = GUARD_UNUSABLE; return STATUS_OK;
    default: return STATUS_NOT_FOUND;
    }
}

static void convert(const struct efi_map *map, struct guard_ram_use *pieces)
{
    UINTN step = map->descriptor_bytes;
    EFI_MEMORY_DESCRIPTOR d;
    enum guard_use use;

    pieces->n = 0;
    for (UINTN at = 0; step >= sizeof(d) && at + step <= map->size_bytes; at += step) {
        memcpy(&d, map->buffer + at, sizeof(d));
        if (use_of(&d, &use) == STATUS_OK)
            pieces->piece[pieces->n++] =
                (struct guard_piece){ d.PhysicalStart >> EFI_PAGE_SHIFT, d.NumberOfPages, use };
    }
    guard_ram_use_sort(pieces);
}

/* A piece needs no more bytes than a descriptor: both buffers have the map's size. */
_Static_assert(sizeof(struct guard_piece) <= sizeof(EFI_MEMORY_DESCRIPTOR), "the buffer's size");

EFI_STATUS guard_memory_read(struct guard_memory *ret_memory)
{
    struct guard_memory *m = ret_memory;
    struct efi_map map;
    uint64_t bytes;
    EFI_STATUS status = efi_map_bytes(SPARE_DESCRIPTORS, &bytes);

    if (EFI_ERROR(status))
        return status;
    m->buffer_pages = 2 * EFI_SIZE_TO_PAGES(bytes);
    status = BS->AllocatePages(AllocateAnyPages, EfiBootServicesData, m->buffer_pages, &m->buffer);
    if (EFI_ERROR(status))
        return status;
    map.buffer = (uint8_t *)(UINTN)m->buffer + m->buffer_pages / 2 * EFI_PAGE_SIZE;
    map.capacity_bytes = m->buffer_pages / 2 * EFI_PAGE_SIZE;
    status = efi_map_read(&map);
    if (EFI_ERROR(status)) {
        guard_memory_free(m);
        return status;
    }
    m->pieces.piece = (struct guard_piece *)(UINTN)m->buffer;
    convert(&map, &m->pieces);
    return EFI_SUCCESS;
}

void guard_memory_free(struct guard_memory *memory)
{
    BS->FreePages(memory->buffer, memory->buffer_pages);
}

void guard_memory_machine(const struct guard_memory *memory, struct guard_fingerprint *ret_machine)
{
    struct smbios smbios;
    bool has_smbios = firmware_tables_open_smbios(&smbios);

    guard_fingerprint_read(has_smbios ? &smbios : NULL, guard_ram_use_bytes(&memory->pieces),
                           ret_machine);
}
