// SPDX-License-Identifier: MIT
/* An HPET table. */
#include "acpi/fadt.h"

#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct acpi_header *table = fuzz_table(bytes, size);
    struct fuzz_warnings counted;
    struct warnings warnings = fuzz_warnings(&counted);
    struct hpet hpet;

    if (table && hpet_read(table, &warnings, &hpet) == STATUS_OK) {
        CHECK(counted.n == 0);
        CHECK(hpet.address && hpet.address + HPET_REGISTERS_BYTES > hpet.address);
    } else if (table) {
        CHECK(counted.n == 1);
    }
    free(table);
    return 0;
}
