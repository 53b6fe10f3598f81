// SPDX-License-Identifier: MIT
/*
 * How far nodes are from each other: the SLIT (ACPI 6.5, 5.2.17). Distances are relative: 10 is the
 * node itself, 20 twice as slow, 255 unreachable.
 */
#pragma once

#include <stdint.h>

#include "acpi/acpi.h"
#include "lib/status.h"
#include "lib/warn.h"

#define SLIT_LOCAL  10u
#define SLIT_REMOTE 20u /* of two nodes about which nothing is known */

/* All zeros: no table, nothing is known. */
struct slit {
    uint32_t n_localities;   /* proximity domains 0 to n_localities - 1 */
    const uint8_t *distance; /* row by row, in the table's own memory */
};

/*
 * Reads a table returned by acpi_find. One warning reports invalid distances: other than 10
 * from a domain to itself, or one of the reserved 0 to 9 to another; the others are used.
 * STATUS_INVALID, with a warning: the table is shorter than its number of localities needs.
 */
enum status slit_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct slit *ret_slit);

/*
 * From one proximity domain to another. SLIT_LOCAL or SLIT_REMOTE for what the table does not
 * hold and for invalid distances.
 */
uint32_t slit_distance(const struct slit *slit, uint32_t from, uint32_t to);
