// SPDX-License-Identifier: MIT
/*
 * Starts \okram.efi on firmware that leaves all other CPUs running: once ExitBootServices is over
 * they count in a loop, in a page below 1 MiB that is free then.
 */
#include <efi.h>
#include <efilib.h>

#include "start_okram.h"

#define PAGE        4096u
#define COUNT_AT    0x100
#define DELAY_PORT  0x80   /* about a microsecond a read */
#define DELAY_READS 500000 /* an emulated CPU may have to wait for one of the host's */

static volatile UINT32 *const icr = (volatile UINT32 *)0xfee00300;
static EFI_EXIT_BOOT_SERVICES exit_boot_services;
static EFI_PHYSICAL_ADDRESS page = 0x9ffff;

static void wait(void)
{
    UINT8 value;

    for (UINTN i = 0; i < DELAY_READS; i++)
        __asm__ volatile("inb %w1, %0" : "=a"(value) : "Nd"(DELAY_PORT));
}

/* Intel SDM vol. 3A, 11.6.1: INIT, then STARTUP, to all but this CPU. */
static void start_others(void)
{
    *icr = 0xc4500;
    wait();
    *icr = 0xc4600 | (UINT32)(page / PAGE);
    wait();
}

static EFI_STATUS EFIAPI exit_and_start(EFI_HANDLE image, UINTN key)
{
    EFI_STATUS status = exit_boot_services(image, key);

    if (!EFI_ERROR(status))
        start_others();
    return status;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    /* inc dword [cs:COUNT_AT]; jmp to the start */
    static const UINT8 code[] = {
        0x2e, 0x66, 0xff, 0x06, COUNT_AT & 0xff, COUNT_AT >> 8, 0xeb, 0xf8
    };
    EFI_STATUS status;

    InitializeLib(image, system_table);
    status = BS->AllocatePages(AllocateMaxAddress, EfiBootServicesData, 1, &page);
    if (EFI_ERROR(status))
        return status;
    ZeroMem((void *)(UINTN)page, PAGE);
    CopyMem((void *)(UINTN)page, (void *)code, sizeof(code));
    exit_boot_services = BS->ExitBootServices;
    BS->ExitBootServices = exit_and_start;
    return start_okram(image);
}
