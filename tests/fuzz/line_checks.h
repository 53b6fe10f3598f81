// SPDX-License-Identifier: MIT
/* What holds for every cover and every line made of a fault log. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "log/fault_log.h"

/* Derives a cover within these limits, and all lines, and reads them back. */
void line_checks(const struct fault_log *log, size_t max_patterns, uint64_t max_ranges);
