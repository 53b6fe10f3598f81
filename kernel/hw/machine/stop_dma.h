// SPDX-License-Identifier: MIT
/* No device may write to memory that okram is about to use. Boot CPU only. */
#pragma once

#include "boot/boot_info.h"

/*
 * Stops bus masters, notes in machine.bus_masters which are still on, and turns IOMMUs off, before
 * any memory is written. The early page tables are on: tables_read() turns off IOMMUs whose
 * registers they do not reach. Needs machine.map.
 */
void stop_dma(const struct boot_info *boot);
