// SPDX-License-Identifier: MIT
/* A FADT. */
#include "acpi/fadt.h"

#include "fuzz.h"

FUZZ_TABLE(table, warnings, counted)
{
    struct fadt fadt;
    enum status status = fadt_read(table, warnings, &fadt);

    CHECK(counted->n == (status != STATUS_OK));
    if (status == STATUS_OK)
        CHECK(!fadt.hardware_reduced || !(fadt.pm1a_control.address || fadt.pm_timer.address));
}
