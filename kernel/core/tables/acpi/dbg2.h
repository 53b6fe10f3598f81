// SPDX-License-Identifier: MIT
/* The ports for debuggers: table "DBG2" (Debug Port Table 2, 1.3). */
#pragma once

#include <stddef.h>

#include "acpi/acpi.h"
#include "acpi/uart_place.h"
#include "lib/status.h"
#include "lib/warn.h"

#define DBG2_PORTS_MAX 4 /* more are not read */

struct dbg2 {
    struct uart_place port[DBG2_PORTS_MAX]; /* of serial ports that are a 16550 */
    size_t n_ports;
};

/*
 * Reads a table returned by acpi_find: the first address of each such port. A malformed list of
 * ports gives a warning, and those before the first malformed one. STATUS_INVALID, with a warning:
 * the table is too short.
 */
enum status dbg2_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct dbg2 *ret_dbg2);
