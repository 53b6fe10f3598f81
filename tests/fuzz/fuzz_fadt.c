// SPDX-License-Identifier: MIT
/* A FADT. */
#include "acpi/fadt.h"

#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct acpi_header *table = fuzz_table(bytes, size);
    struct fuzz_warnings counted;
    struct warnings warnings = fuzz_warnings(&counted);
    struct fadt fadt;

    if (table && fadt_read(table, &warnings, &fadt) == STATUS_OK) {
        CHECK(counted.n == 0);
        CHECK(!fadt.hardware_reduced || !(fadt.pm1a_control.address || fadt.pm_timer.address));
    } else if (table) {
        CHECK(counted.n == 1);
    }
    free(table);
    return 0;
}
