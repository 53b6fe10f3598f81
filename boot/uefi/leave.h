// SPDX-License-Identifier: MIT
/* Leaving firmware: ExitBootServices (UEFI 2.10, 7.4.6). */
#pragma once

#include "boot/boot_info.h"
#include "efi_map.h"

/*
 * Takes the memory map, stops USB (bus_masters.h) and calls ExitBootServices, again with a fresh
 * map if firmware's own events have changed it in between.
 *
 * An error: GetMemoryMap failed; firmware goes on as before, with its USB devices. After a failed
 * ExitBootServices firmware may be partly shut down, and its console must not be called any more:
 * the failure is reported on COM1, and the machine stops (boot/stop/stop.h).
 */
EFI_STATUS leave_firmware(EFI_HANDLE image, struct efi_map *map, const struct boot_info *info,
                          const char *conf);
