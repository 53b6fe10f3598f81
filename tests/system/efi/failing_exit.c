// SPDX-License-Identifier: MIT
/*
 * Starts \okram.efi with an ExitBootServices that always fails. Console output and other boot
 * services but the memory services are then reported on COM1 (UEFI 2.10, 7.4.6).
 */
#include <efi.h>
#include <efilib.h>

#include "start_okram.h"

#define COM1 0x3f8

static BOOLEAN exit_called;
static EFI_TEXT_OUTPUT_STRING output_string;
static EFI_STALL stall;
static EFI_EXIT exit_image;

static void com1_line(const char *text)
{
    for (; *text; text++)
        __asm__ volatile("outb %b0, %w1" : : "a"(*text), "d"(COM1));
}

static void check(const char *service)
{
    if (!exit_called)
        return;
    com1_line("after ExitBootServices: ");
    com1_line(service);
    com1_line("\r\n");
}

static EFI_STATUS EFIAPI failing_exit(EFI_HANDLE image, UINTN key)
{
    exit_called = TRUE;
    return EFI_INVALID_PARAMETER;
}

static EFI_STATUS EFIAPI checked_output(SIMPLE_TEXT_OUTPUT_INTERFACE *console, CHAR16 *text)
{
    check("OutputString");
    return output_string(console, text);
}

static EFI_STATUS EFIAPI checked_stall(UINTN microseconds)
{
    check("Stall");
    return stall(microseconds);
}

static EFI_STATUS EFIAPI checked_exit(EFI_HANDLE image, EFI_STATUS status, UINTN size, CHAR16 *data)
{
    check("Exit");
    return exit_image(image, status, size, data);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    EFI_STATUS status;

    InitializeLib(image, system_table);
    output_string = ST->ConOut->OutputString;
    stall = BS->Stall;
    exit_image = BS->Exit;
    ST->ConOut->OutputString = checked_output;
    BS->Stall = checked_stall;
    BS->Exit = checked_exit;
    BS->ExitBootServices = failing_exit;
    status = start_okram(image);
    check("return to the caller");
    return status;
}
