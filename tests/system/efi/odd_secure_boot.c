// SPDX-License-Identifier: MIT
/* Starts \okram.efi on firmware that does not say whether Secure Boot is on. */
#include <efi.h>
#include <efilib.h>

#include "start_okram.h"

static EFI_GET_VARIABLE get_variable;

static EFI_STATUS EFIAPI failing_get(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes,
                                     UINTN *size, VOID *out)
{
    if (StrCmp(name, L"SecureBoot") == 0)
        return EFI_DEVICE_ERROR;
    return get_variable(name, vendor, attributes, size, out);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    EFI_STATUS status;

    InitializeLib(image, system_table);
    get_variable = RT->GetVariable;
    RT->GetVariable = failing_get;
    status = start_okram(image);
    RT->GetVariable = get_variable;
    return status;
}
