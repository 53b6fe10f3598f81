// SPDX-License-Identifier: MIT
/* Whether firmware starts only what is signed (UEFI 2.10, 32.5). */
#pragma once

#include <stdbool.h>

bool secure_boot_is_on(void);
