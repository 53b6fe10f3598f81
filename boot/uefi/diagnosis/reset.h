// SPDX-License-Identifier: MIT
/*
 * The machine off, or restarted into BIOS setup (UEFI 2.10, 8.5.1 and 8.5.4). What okram was
 * booted from is started next: BootNext (3.3) is set to BootCurrent.
 */
#pragma once

#include <stdbool.h>

/* Whether firmware says that it can be told to show its setup at the next start. */
bool reset_has_setup(void);

/* These return only if firmware does not do it. */
void reset_power_off(void);
void reset_into_setup(void);
