// SPDX-License-Identifier: MIT
/*
 * Starts \okram.efi with a memory map of about 2,000 entries: from FIRST on every other page is
 * reserved.
 */
#include <efi.h>
#include <efilib.h>

#include "start_okram.h"

#define FIRST 0x4000000u
#define PAGE  4096u
#define PAIRS 950u

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    EFI_PHYSICAL_ADDRESS at = FIRST;
    EFI_STATUS status;

    InitializeLib(image, system_table);
    status = BS->AllocatePages(AllocateAddress, EfiReservedMemoryType, 2 * PAIRS, &at);
    for (UINTN i = 0; i < PAIRS && !EFI_ERROR(status); i++)
        status = BS->FreePages(FIRST + (2 * i + 1) * PAGE, 1);
    return EFI_ERROR(status) ? status : start_okram(image);
}
