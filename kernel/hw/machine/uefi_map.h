// SPDX-License-Identifier: MIT
/* What of memory is mapped while UEFI's runtime services run (firmware/call_tables.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "firmware/memory_map.h"

/*
 * page: tested memory that is mapped all the same. acpi_is_tested: so is memory that holds ACPI
 * tables. Boot CPU, before arena_close.
 */
void uefi_map_begin(const struct memory_map *map, bool acpi_is_tested, uint64_t page);

/* Services from there up cannot be called. */
uint64_t uefi_map_limit(void);

/* Makes the tables with okram where it is now. Returns what CR3 is to hold on the calling CPU. */
uint64_t uefi_map_root(void);
