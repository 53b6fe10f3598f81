// SPDX-License-Identifier: MIT
/* A MADT: the input, with a length that is right. */
#include "acpi/madt.h"

#include "fuzz.h"

static struct madt madt;

FUZZ_TABLE(table, warnings, counted)
{
    if (madt_read(table, warnings, &madt) != STATUS_OK) {
        CHECK(counted->n == 1);
        return;
    }
    CHECK(madt.n_cpus <= MADT_CPUS_MAX && madt.n_io_apics <= MADT_IO_APICS_MAX);
    for (size_t i = 0; i < madt.n_cpus; i++) {
        for (size_t j = 0; j < i; j++)
            CHECK(madt.cpu[i].apic_id != madt.cpu[j].apic_id);
    }
}
