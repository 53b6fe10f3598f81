// SPDX-License-Identifier: MIT
/*
 * Starts \okram.efi with what firmware may leave on: QEMU's IOMMU, Intel's or AMD's, with tables in
 * memory that is free later, by which devices reach all memory as before; and a watchdog that
 * resets the machine after 10 seconds.
 */
#include <efi.h>
#include <efilib.h>

#include "start_okram.h"

#define VTD         0xfed90000u /* where QEMU has them */
#define AMD         0xfed80000u
#define PAGE        4096u
#define AMD_PAGES   512u /* an entry of 32 bytes for each function of 256 buses */
#define WATCHDOG_S  10
#define PASS_39_BIT 1u /* VT-d 4.1, 9.3: address width; AMD's entries of zeros pass, too */

static volatile UINT32 *vtd = (volatile UINT32 *)(UINTN)VTD;
static volatile UINT32 *amd = (volatile UINT32 *)(UINTN)AMD;

static UINT64 *zeroed_pages(UINTN n)
{
    EFI_PHYSICAL_ADDRESS address = 0xffffffff;

    if (EFI_ERROR(BS->AllocatePages(AllocateMaxAddress, EfiBootServicesData, n, &address)))
        return NULL;
    ZeroMem((void *)(UINTN)address, n * PAGE);
    return (UINT64 *)(UINTN)address;
}

static void turn_on_vtd(void)
{
    UINT64 *root = zeroed_pages(1), *context = zeroed_pages(1);

    if (!root || !context)
        return;
    for (UINTN i = 0; i < 256; i++) {
        root[2 * i] = (UINT64)(UINTN)context | 1;
        context[2 * i] = 2 << 2 | 1; /* pass through, present */
        context[2 * i + 1] = 1 << 8 | PASS_39_BIT;
    }
    vtd[0x20 / 4] = (UINT32)(UINTN)root;
    vtd[0x24 / 4] = 0;
    vtd[0x18 / 4] = 1u << 30;
    while (!(vtd[0x1c / 4] & 1u << 30)) {
    }
    vtd[0x18 / 4] = 1u << 31;
    while (!(vtd[0x1c / 4] & 1u << 31)) {
    }
}

static void turn_on_amd(void)
{
    UINT64 *devices = zeroed_pages(AMD_PAGES);

    if (!devices)
        return;
    amd[0] = (UINT32)(UINTN)devices | (AMD_PAGES - 1);
    amd[1] = 0;
    amd[0x18 / 4] = 1;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    InitializeLib(image, system_table);
    if (vtd[0] && vtd[0] != 0xffffffff)
        turn_on_vtd();
    else if (amd[0x30 / 4] != 0xffffffff) /* extended features */
        turn_on_amd();
    BS->SetWatchdogTimer(WATCHDOG_S, 0x10000, 0, NULL);
    return start_okram(image);
}
