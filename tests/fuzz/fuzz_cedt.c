// SPDX-License-Identifier: MIT
#include "acpi/non_ram_ranges.h"

#include "fuzz.h"

FUZZ_TABLE(table, warnings, counted)
{
    struct cedt cedt = { 0 };

    if (cedt_read(table, warnings, &cedt) != STATUS_OK)
        CHECK(counted->n == 1 && cedt.n == 0);
    CHECK(cedt.n <= CEDT_WINDOWS_MAX);
    for (size_t i = 0; i < cedt.n; i++) {
        CHECK(cedt.window[i].size);
        CHECK(cedt.window[i].base + (cedt.window[i].size - 1) >= cedt.window[i].base);
    }
}
