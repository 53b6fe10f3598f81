// SPDX-License-Identifier: MIT
#include "secure_boot.h"

#include <efi.h>
#include <efilib.h>

static EFI_STATUS read(UINT8 *ret_value, UINTN *ret_bytes)
{
    static EFI_GUID global = EFI_GLOBAL_VARIABLE;

    *ret_value = 0;
    *ret_bytes = sizeof(*ret_value);
    return RT->GetVariable(L"SecureBoot", &global, NULL, ret_bytes, ret_value);
}

bool secure_boot_is_on(void)
{
    UINT8 value;
    UINTN bytes;

    return !EFI_ERROR(read(&value, &bytes)) && value == 1;
}

bool secure_boot_may_be_on(void)
{
    UINT8 value;
    UINTN bytes;
    EFI_STATUS status = read(&value, &bytes);

    if (status == EFI_NOT_FOUND)
        return false;
    return EFI_ERROR(status) || bytes != sizeof(value) || value != 0;
}
