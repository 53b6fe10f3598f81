// SPDX-License-Identifier: MIT
/*
 * The watchdog of Intel's chipsets, the TCO timer. Its registers are I/O ports, which configuration
 * space names: since ICH6 that of the LPC bridge, 96 bytes above the ACPI registers at PMBASE (ICH9
 * datasheet, 316972); since the 100 series that of the SMBus controller, at TCOBASE (100 Series PCH
 * datasheet, volume 2, 332691). It counts down twice: the first time it tells firmware, the second
 * time it resets the machine, unless NO_REBOOT is set: in the chipset's memory (GCS; Bay Trail:
 * PMC_CFG), since the 300 series in TCO1_CNT. One count is 0.6 s, on Bay Trail, Braswell and Avoton
 * 1 s, as Linux knows them (drivers/watchdog/iTCO_wdt.c). Boot CPU only.
 */
#pragma once

#include "watchdog/found.h"

/* Halts it, if it can reset the machine. */
struct watchdog_found tco_stop(watchdog_map *map);
