// SPDX-License-Identifier: MIT
/* A byte that chooses DMAR or IVRS, then the table. */
#include "acpi/iommu_units.h"

#include <stdlib.h>

#include "fuzz.h"

static void check(const struct iommu_units *units)
{
    CHECK(units->n <= IOMMU_UNITS_MAX);
    for (size_t i = 0; i < units->n; i++) {
        CHECK(units->address[i] && units->address[i] % 4096 == 0);
        CHECK(units->address[i] + IOMMU_REGISTERS_BYTES > units->address[i]);
        for (size_t j = 0; j < i; j++)
            CHECK(units->address[i] != units->address[j]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct acpi_header *table = size ? fuzz_table(bytes + 1, size - 1) : NULL;
    struct fuzz_warnings counted;
    struct warnings warnings = fuzz_warnings(&counted);
    struct iommu_units units;

    if (!table)
        return 0;
    if ((bytes[0] & 1 ? ivrs_read : dmar_read)(table, &warnings, &units) == STATUS_OK)
        check(&units);
    else
        CHECK(counted.n == 1);
    free(table);
    return 0;
}
