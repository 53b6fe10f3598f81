// SPDX-License-Identifier: MIT
/*
 * Where memory behind CXL may be: the table "CEDT" (CXL specification 3.1, 9.18.1). okram sets up
 * no CXL memory: the memory map says what firmware has set up.
 */
#pragma once

#include <stddef.h>

#include "acpi/acpi.h"
#include "lib/span.h"
#include "lib/status.h"
#include "lib/warn.h"

#define CEDT_WINDOWS_MAX 64

struct cedt {
    size_t n;
    struct span window[CEDT_WINDOWS_MAX]; /* none empty, in firmware's order; they may overlap */
};

/*
 * Reads a table returned by acpi_find. STATUS_INVALID, with a warning: it is too short. What is
 * malformed in it is left out, with one warning for each kind of defect.
 */
enum status cedt_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct cedt *ret_cedt);
