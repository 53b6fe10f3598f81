// SPDX-License-Identifier: MIT
/*
 * What the firmware names as memory and is not RAM to test, for the report: persistent memory,
 * unaccepted memory, windows for CXL memory that firmware has not set up, and ranges of the SRAT
 * that are empty, as those for memory hot-plug are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "acpi/cedt.h"
#include "acpi/srat.h"
#include "firmware/memory_map.h"

struct other_memory {
    struct span span;
    const char *why; /* it is not tested */
};

struct memory_tables {
    const struct memory_map *map;
    const struct cedt *cedt; /* NULL: there is none; so for srat */
    const struct srat *srat;
};

/* The most ranges that there can be. */
size_t non_ram_ranges_max(const struct memory_tables *tables);

/* The next; *at is where to look on, at first 0. False: no more. */
bool non_ram_ranges_next(const struct memory_tables *tables, size_t *at,
                         struct other_memory *ret_other);
