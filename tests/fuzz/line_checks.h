// SPDX-License-Identifier: MIT
/* What holds for every cover and every line made of a fault log. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "bootcfg/lines.h"
#include "log/fault_log.h"

/* Derives a cover within these limits, the badram line and another one, and reads them back. */
void line_checks(const struct fault_log *log, size_t max_patterns, uint64_t max_ranges,
                 enum line_kind other);
