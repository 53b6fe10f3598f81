// SPDX-License-Identifier: MIT
/*
 * Starts \okram.efi with a memory map whose largest entry of free memory is more reliable than the
 * others, as firmware says of a mirrored range of addresses.
 */
#include <efi.h>
#include <efilib.h>

#include "start_okram.h"

#define MORE_RELIABLE 0x10000u

static EFI_GET_MEMORY_MAP get_memory_map;

static EFI_MEMORY_DESCRIPTOR *entry_at(EFI_MEMORY_DESCRIPTOR *map, UINTN offset)
{
    return (EFI_MEMORY_DESCRIPTOR *)((char *)map + offset);
}

static EFI_STATUS EFIAPI mirrored_map(UINTN *size, EFI_MEMORY_DESCRIPTOR *map, UINTN *key,
                                      UINTN *step, UINT32 *version)
{
    EFI_STATUS status = get_memory_map(size, map, key, step, version);
    EFI_MEMORY_DESCRIPTOR *largest = NULL;

    if (EFI_ERROR(status))
        return status;
    for (UINTN at = 0; at < *size; at += *step) {
        EFI_MEMORY_DESCRIPTOR *d = entry_at(map, at);

        if (d->Type == EfiConventionalMemory &&
            (!largest || d->NumberOfPages > largest->NumberOfPages))
            largest = d;
    }
    if (largest)
        largest->Attribute |= MORE_RELIABLE;
    return status;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    InitializeLib(image, system_table);
    get_memory_map = BS->GetMemoryMap;
    BS->GetMemoryMap = mirrored_map;
    return start_okram(image);
}
