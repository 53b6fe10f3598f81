// SPDX-License-Identifier: MIT
#include "reset.h"

#include <efi.h>
#include <efilib.h>

#include "boot/uefi/variables.h"
#include "lib/string.h"

#define BOOT_TO_FW_UI UINT64_C(1) /* EFI_OS_INDICATIONS_BOOT_TO_FW_UI */

/* A variable of 8 bytes; 0: there is none. */
static UINT64 read_number(const char *name)
{
    struct variable v = variable_read(name, &variable_boot);
    UINT64 number = 0;

    if (v.bytes && v.size == sizeof(number))
        memcpy(&number, v.bytes, sizeof(number));
    variable_free(&v);
    return number;
}

bool reset_has_setup(void)
{
    return read_number("OsIndicationsSupported") & BOOT_TO_FW_UI;
}

void reset_power_off(void)
{
    RT->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
}

void reset_into_setup(void)
{
    UINT64 wanted = read_number("OsIndications") | BOOT_TO_FW_UI;

    if (!EFI_ERROR(variable_write("OsIndications", &variable_boot, VARIABLE_SHARED, &wanted,
                                  sizeof(wanted))))
        RT->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
}
