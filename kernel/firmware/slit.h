// SPDX-License-Identifier: MIT
/*
 * How far nodes are from each other: the SLIT (ACPI 6.5, 5.2.17). Distances are relative: 10 is the
 * node itself, 20 twice as slow, 255 unreachable.
 */
#pragma once

#include <stdint.h>

#include "firmware/acpi.h"
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
 * Reads a table that acpi_find handed out. One warning names the distances that cannot be: a domain
 * that is not at 10 from itself, or one of the reserved 0 to 9 to another; the others count.
 * STATUS_INVALID, with a warning: the table is shorter than its number of localities needs.
 */
enum status slit_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct slit *ret_slit);

/*
 * From one proximity domain to another. What the table does not hold, and what cannot be, is taken
 * for SLIT_LOCAL or SLIT_REMOTE.
 */
uint32_t slit_distance(const struct slit *slit, uint32_t from, uint32_t to);
