// SPDX-License-Identifier: MIT
/*
 * The address of the High Precision Event Timer (IA-PC HPET Specification 1.0a, 3.2.4, table
 * "HPET").
 */
#pragma once

#include <stdint.h>

#include "acpi/acpi.h"
#include "lib/status.h"
#include "lib/warn.h"

#define HPET_REGISTERS_BYTES 1024u

struct hpet {
    uint64_t address; /* of its registers, in memory; not 0, and they do not wrap */
};

/*
 * Reads a table returned by acpi_find. STATUS_INVALID, with a warning: it is too short, or the
 * registers are not in memory.
 */
enum status hpet_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct hpet *ret_hpet);
