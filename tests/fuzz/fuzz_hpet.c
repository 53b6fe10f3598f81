// SPDX-License-Identifier: MIT
/* An HPET table. */
#include "acpi/fadt.h"

#include "fuzz.h"

FUZZ_TABLE(table, warnings, counted)
{
    struct hpet hpet;
    enum status status = hpet_read(table, warnings, &hpet);

    CHECK(counted->n == (status != STATUS_OK));
    if (status == STATUS_OK)
        CHECK(hpet.address && hpet.address + HPET_REGISTERS_BYTES > hpet.address);
}
