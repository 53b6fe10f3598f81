// SPDX-License-Identifier: MIT
#include "acpi/non_ram_ranges.h"

#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct acpi_header *table = fuzz_table(bytes, size);
    struct fuzz_warnings counted;
    struct warnings warnings = fuzz_warnings(&counted);
    struct cedt cedt = { 0 };

    if (!table)
        return 0;
    if (cedt_read(table, &warnings, &cedt) != STATUS_OK)
        CHECK(counted.n == 1 && cedt.n == 0);
    CHECK(cedt.n <= CEDT_WINDOWS_MAX);
    for (size_t i = 0; i < cedt.n; i++) {
        CHECK(cedt.window[i].size);
        CHECK(cedt.window[i].base + (cedt.window[i].size - 1) >= cedt.window[i].base);
    }
    free(table);
    return 0;
}
