// SPDX-License-Identifier: MIT
/*
 * Where firmware's tables are in memory: the RSDP, the list of ACPI's tables, those that it lists,
 * the DSDT, and SMBIOS. UEFI recommends memory that stays firmware's, but allows that of boot
 * services for SMBIOS (UEFI 2.10, 2.3.4), which is free later. Pure.
 */
#pragma once

#include <stdint.h>

#include "firmware/phys.h"
#include "lib/spans.h"

/* Enough: machines have fewer. */
#define TABLE_RANGES_MAX 256

/*
 * Those of the tables that are valid, in whole pages. rsdp, smbios: as the loader has found them,
 * or 0: what is found in the BIOS area is never in free memory. Ranges beyond ret_ranges->max are
 * left out: the reader of a table that was overwritten sees a wrong checksum.
 */
void table_ranges_find(const struct phys_reader *reader, uint64_t rsdp, uint64_t smbios,
                       struct spans *ret_ranges);
