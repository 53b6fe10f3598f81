// SPDX-License-Identifier: MIT
/* An MCFG table. */
#include "acpi/mcfg.h"

#include "fuzz.h"

FUZZ_TABLE(table, warnings, counted)
{
    struct mcfg mcfg;
    enum status status = mcfg_read(table, warnings, &mcfg);
    uint64_t last;

    CHECK(counted->n == (status != STATUS_OK));
    if (status != STATUS_OK)
        return;
    last = mcfg_address(&mcfg, mcfg.last_bus, 31, 7, 4092);
    CHECK(!last || last > mcfg.base);
}
