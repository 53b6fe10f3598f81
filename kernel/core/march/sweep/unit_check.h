// SPDX-License-Identifier: MIT
/*
 * Whether the units of the CPU that calls it compute right: those that the tests use, on data that
 * stay in half of its first-level cache, against sums that are known.
 */
#pragma once

#include <stddef.h>

#include "sweep/line_ops.h"

#define UNIT_CHECK_LINES 256 /* 16 KiB: half of the smallest L1 data cache */

/*
 * lines: UNIT_CHECK_LINES of them, whose content is lost. ops: n tables that the CPU can run. NULL:
 * all is right; else the first unit that is not: "integer", "string", or the name of a table. Some
 * 10 us for each.
 */
const char *unit_check(const struct line_ops *const *ops, size_t n, struct line *lines);
