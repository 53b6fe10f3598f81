// SPDX-License-Identifier: MIT
/*
 * The sleep types for power off (ACPI 6.5, 7.4.2): searched for in AML, without interpreting
 * it.
 */
#pragma once

#include <stdint.h>

#include "acpi/acpi.h"
#include "lib/status.h"

/* What goes into the SLP_TYP fields of the PM1a and PM1b control registers. */
struct s5 {
    uint8_t slp_typ_a;
    uint8_t slp_typ_b;
};

/*
 * Looks for the package \_S5 in a DSDT or SSDT returned by acpi_find or acpi_table_at.
 * STATUS_NOT_FOUND: there is none that is well-formed; no warning given.
 */
enum status s5_find(const struct acpi_header *table, struct s5 *ret_s5);

/*
 * The same in the DSDT at that address (0: there is none), then in each SSDT. A table that is
 * invalid gives a warning, and the next is looked at.
 */
enum status s5_find_in_all(const struct acpi *acpi, uint64_t dsdt, const struct warnings *warnings,
                           struct s5 *ret_s5);
