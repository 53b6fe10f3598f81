// SPDX-License-Identifier: MIT
/* Which run of which machine the report is of: `identity=`. Boot CPU only. */
#pragma once

#include "boot/boot_info.h"
#include "options/options.h"

/*
 * Sends the event, once SMBIOS is read. Not with identity=off. The number of the run is made of
 * what the CPU's random number generator, the date, the machine's UUID and the time stamp counter
 * give; options do not change it.
 */
void identity_emit(const struct boot_info *boot, enum option_identity identity);
