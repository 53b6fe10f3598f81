// SPDX-License-Identifier: MIT
/*
 * UEFI's ResetSystem. Firmware's code runs where it left it: its memory is never tested, its
 * addresses are mapped as they were at boot (UEFI 2.10, 2.3.4).
 */
#pragma once

#include <stdint.h>

#include "firmware/memory_map.h"

/*
 * On the boot CPU, as the last act of a run. Returns when there is no ResetSystem in the map's
 * runtime memory, or it returned. An exception in firmware calls `instead`, and then halts the CPU.
 */
void uefi_power_off(uint64_t system_table, const struct memory_map *map, void (*instead)(void));
