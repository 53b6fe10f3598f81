// SPDX-License-Identifier: MIT
/* The watchdog of the ACPI table WDAT, by the accesses that the table lists. Boot CPU only. */
#pragma once

#include "acpi/wdat.h"
#include "lib/status.h"
#include "watchdog/found.h"

/*
 * Stops it if it is running. STATUS_INVALID: one of its registers cannot be where the table says;
 * then nothing is read or written.
 */
enum status wdat_stop(const struct wdat *wdat, watchdog_map *map, struct watchdog_found *ret_found);
