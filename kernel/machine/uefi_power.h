// SPDX-License-Identifier: MIT
/*
 * UEFI's ResetSystem, for machines that ACPI does not turn off. Firmware's code runs where it left
 * it: its memory is never tested, its addresses are mapped as they were at boot (UEFI 2.10, 2.3.4).
 */
#pragma once

#include <stdint.h>

#include "firmware/memory_map.h"

/*
 * On the boot CPU, as the last act of a run: an exception in firmware halts the CPU. Returns when
 * there is no ResetSystem in the map's runtime memory, or it returned.
 */
void uefi_power_off(uint64_t system_table, const struct memory_map *map);
