// SPDX-License-Identifier: MIT
/* Whether firmware starts only what is signed (UEFI 2.10, 32.5). */
#pragma once

#include <stdbool.h>

bool secure_boot_is_on(void);

/* The same, and where it cannot be told: only firmware without such a variable, or with 0, has not.
 */
bool secure_boot_may_be_on(void);
