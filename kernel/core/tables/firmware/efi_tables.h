// SPDX-License-Identifier: MIT
/*
 * Where UEFI has put ACPI's RSDP and SMBIOS' entry point: the configuration table of its system
 * table (UEFI 2.10, 4.3 and 4.6). For loaders that pass the system table's address alone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "firmware/phys.h"
#include "lib/status.h"

struct efi_tables {
    uint64_t rsdp, smbios; /* the newest of each; 0: none */
};

/*
 * is_64: of 64-bit firmware. STATUS_INVALID: there is no system table, or it cannot be read. Of a
 * longer configuration table the first 1024 entries are read.
 */
enum status efi_tables_find(const struct phys_reader *reader, uint64_t system_table, bool is_64,
                            struct efi_tables *ret_tables);
