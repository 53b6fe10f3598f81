// SPDX-License-Identifier: MIT
#include "secure_boot.h"

#include <efi.h>
#include <efilib.h>

bool secure_boot_is_on(void)
{
    static EFI_GUID global = EFI_GLOBAL_VARIABLE;
    UINT8 on = 0;
    UINTN size = sizeof(on);

    return !EFI_ERROR(RT->GetVariable(L"SecureBoot", &global, NULL, &size, &on)) && on == 1;
}
