// SPDX-License-Identifier: MIT
/* What is wrong in a table, counted by kind: one warning a kind, however often it was found. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/warn.h"

/* Reports each count that is not 0: "table: text: count". */
void defects_report(const char *table, const char *const *text, const uint64_t *count, size_t n,
                    const struct warnings *warnings);
