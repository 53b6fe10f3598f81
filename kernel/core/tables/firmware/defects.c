// SPDX-License-Identifier: MIT
#include "firmware/defects.h"

void defects_report(const char *table, const char *const *text, const uint64_t *count, size_t n,
                    const struct warnings *warnings)
{
    for (size_t i = 0; i < n; i++) {
        if (count[i])
            warn_print(warnings, "%s: %s: %lu", table, text[i], (unsigned long)count[i]);
    }
}
