// SPDX-License-Identifier: MIT
/*
 * What the firmware names as memory and is no RAM to test, for the report: persistent memory,
 * unaccepted memory, and ranges of the SRAT that are empty, as those for memory hot-plug are, or
 * for CXL memory that is not set up.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "acpi/srat.h"
#include "firmware/memory_map.h"

struct other_memory {
    struct span span;
    const char *why; /* it is not tested */
};

/* At most so many. srat: NULL if there is none. */
size_t other_memory_max(const struct memory_map *map, const struct srat *srat);

/* The next; *at is where to look on, at first 0. False: no more. */
bool other_memory_next(const struct memory_map *map, const struct srat *srat, size_t *at,
                       struct other_memory *ret_other);
