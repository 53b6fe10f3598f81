// SPDX-License-Identifier: MIT
#include "reset.h"

#include <efi.h>
#include <efilib.h>

#include "boot/uefi/variables.h"
#include "lib/string.h"

#define BOOT_TO_FW_UI     UINT64_C(1) /* EFI_OS_INDICATIONS_BOOT_TO_FW_UI */
#define BOOT_NUMBER_BYTES 2           /* of BootCurrent and BootNext: UEFI 2.10, 3.3 */

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

/*
 * The next start is okram's, whatever the boot order says, as after a run (saver/saving_job.h). If
 * firmware does not say what okram was booted from, or refuses, a person starts it as before.
 */
static void start_again(void)
{
    struct variable current = variable_read("BootCurrent", &variable_boot);

    if (current.bytes && current.size == BOOT_NUMBER_BYTES)
        (void)variable_write("BootNext", &variable_boot, VARIABLE_SHARED, current.bytes,
                             current.size);
    variable_free(&current);
}

void reset_power_off(void)
{
    start_again();
    RT->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
}

void reset_into_setup(void)
{
    UINT64 wanted = read_number("OsIndications") | BOOT_TO_FW_UI;

    if (EFI_ERROR(variable_write("OsIndications", &variable_boot, VARIABLE_SHARED, &wanted,
                                 sizeof(wanted))))
        return;
    start_again();
    RT->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
}
