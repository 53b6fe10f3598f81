// SPDX-License-Identifier: MIT
/*
 * The serial port that firmware shows its own screen on: table "SPCR" (Serial Port Console
 * Redirection 1.10).
 */
#pragma once

#include "acpi/acpi.h"
#include "acpi/uart_place.h"
#include "lib/status.h"
#include "lib/warn.h"

/*
 * Reads a table returned by acpi_find. STATUS_NOT_FOUND: console redirection is turned off;
 * STATUS_UNSUPPORTED: the port is not a 16550; STATUS_INVALID, with a warning: it is too short, or
 * no port can be there. A speed that is not known gives a warning, and counts as the one that
 * firmware has set.
 */
enum status spcr_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct uart_place *ret_place);
