// SPDX-License-Identifier: MIT
/* Whether firmware starts only what is signed (UEFI 2.10, 32.5). */
#pragma once

#include <stdbool.h>

enum secure_boot {
    SECURE_BOOT_OFF,     /* or firmware does not have it */
    SECURE_BOOT_ON,      /* the variable SecureBoot is 1 */
    SECURE_BOOT_UNKNOWN, /* it cannot be read, or has another value */
};

enum secure_boot secure_boot_state(void);

bool secure_boot_is_on(void);

/* True also if the state is unknown: false only if the variable is missing or 0. */
bool secure_boot_may_be_on(void);
