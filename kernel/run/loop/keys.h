// SPDX-License-Identifier: MIT
/* Which keyboards are read during the run. Boot CPU only. */
#pragma once

#include "boot/boot_info.h"
#include "options/options.h"

/*
 * Sets up the PS/2 keyboard and, by usb=, USB controllers; these get memory that is not tested. A
 * notice says so where no key will work, and how the run is ended then. Before plan_make.
 */
void keys_begin(const struct boot_info *boot, const struct options *options);

/* Sends an event when no keyboard answers, and when one does again. For calls after each read. */
void keys_poll(void);
