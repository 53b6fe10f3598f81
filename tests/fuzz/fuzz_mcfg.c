// SPDX-License-Identifier: MIT
/* An MCFG table. */
#include "acpi/mcfg.h"

#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct acpi_header *table = fuzz_table(bytes, size);
    struct fuzz_warnings counted;
    struct warnings warnings = fuzz_warnings(&counted);
    struct mcfg mcfg;

    if (table && mcfg_read(table, &warnings, &mcfg) == STATUS_OK) {
        uint64_t last = mcfg_address(&mcfg, mcfg.last_bus, 31, 7, 4092);

        CHECK(counted.n == 0);
        CHECK(!last || last > mcfg.base);
    } else if (table) {
        CHECK(counted.n == 1);
    }
    free(table);
    return 0;
}
