// SPDX-License-Identifier: MIT
#include "secure_boot.h"

#include <efi.h>
#include <efilib.h>

enum secure_boot secure_boot_state(void)
{
    static EFI_GUID global = EFI_GLOBAL_VARIABLE;
    UINT8 on = 0;
    UINTN size = sizeof(on);
    EFI_STATUS status = RT->GetVariable(L"SecureBoot", &global, NULL, &size, &on);

    if (status == EFI_NOT_FOUND)
        return SECURE_BOOT_OFF;
    if (EFI_ERROR(status) || size != sizeof(on) || on > 1)
        return SECURE_BOOT_UNKNOWN;
    return on ? SECURE_BOOT_ON : SECURE_BOOT_OFF;
}

bool secure_boot_is_on(void)
{
    return secure_boot_state() == SECURE_BOOT_ON;
}

bool secure_boot_may_be_on(void)
{
    return secure_boot_state() != SECURE_BOOT_OFF;
}
