// SPDX-License-Identifier: MIT
/* Whether firmware starts only what is signed (UEFI 2.10, 32.5). */
#pragma once

#include <stdbool.h>

enum secure_boot {
    SECURE_BOOT_OFF,     /* or firmware does not know it */
    SECURE_BOOT_ON,      /* the variable SecureBoot is 1 */
    SECURE_BOOT_UNKNOWN, /* it cannot be read, or is odd */
};

enum secure_boot secure_boot_state(void);

bool secure_boot_is_on(void);

/* True as well where the state is unknown: false only if the variable is missing or is 0. */
bool secure_boot_may_be_on(void);
