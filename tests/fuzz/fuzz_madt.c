// SPDX-License-Identifier: MIT
/* A MADT: the input, with a length that is right. */
#include "acpi/madt.h"

#include <stdlib.h>

#include "fuzz.h"

static struct madt madt;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct acpi_header *table = fuzz_table(bytes, size);
    struct fuzz_warnings counted;
    struct warnings warnings = fuzz_warnings(&counted);

    if (table && madt_read(table, &warnings, &madt) == STATUS_OK) {
        CHECK(madt.n_cpus <= MADT_CPUS_MAX && madt.n_io_apics <= MADT_IO_APICS_MAX);
        for (size_t i = 0; i < madt.n_cpus; i++) {
            for (size_t j = 0; j < i; j++)
                CHECK(madt.cpu[i].apic_id != madt.cpu[j].apic_id);
        }
    } else if (table) {
        CHECK(counted.n == 1);
    }
    free(table);
    return 0;
}
