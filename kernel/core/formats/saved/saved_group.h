// SPDX-License-Identifier: MIT
/*
 * Several records of one type as one line, because there is little room in UEFI variables: memory
 * modules, faults and pages that were tested again.
 *
 * The line is the first record with one more field, "also": of each field in which the others
 * differ, the list of their values; of one field at least.
 *
 *   {"t":2,"type":"fault","addr":"0x8","node":0,"also":{"t":[3,4],"addr":["0x10","0x18"]}}
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/fmt.h"

#define SAVED_GROUP_MAX 16u /* records in a line that okram writes */

/*
 * Appends the first n of the lines as one, with its \n. 2 to SAVED_GROUP_MAX. False, and what
 * was appended has to be dropped: their fields or the order of these differ, or it does not fit.
 */
bool saved_group_join(const char *const *line, size_t n, struct fmt_buffer *out);
