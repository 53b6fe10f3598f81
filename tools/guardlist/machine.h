// SPDX-License-Identifier: MIT
/* The fingerprint of the machine that a running Linux shows in files. */
#pragma once

#include <stdint.h>

#include "guardlist/fingerprint.h"

/*
 * entry and structures: the files smbios_entry_point and DMI of /sys/firmware/dmi/tables; NULL: no
 * SMBIOS. A file that cannot be read ends the program with a message.
 */
void machine_read(const char *entry, const char *structures, uint64_t ram_bytes,
                  struct guard_fingerprint *ret_machine);
