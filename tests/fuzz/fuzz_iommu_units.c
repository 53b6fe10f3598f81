// SPDX-License-Identifier: MIT
/* A byte that chooses DMAR or IVRS, then the table. */
#include "acpi/iommu_units.h"

#include "fuzz.h"

static bool is_ivrs;

static void check_units(const struct iommu_units *units)
{
    CHECK(units->n <= IOMMU_UNITS_MAX);
    for (size_t i = 0; i < units->n; i++) {
        CHECK(units->address[i] && units->address[i] % 4096 == 0);
        CHECK(units->address[i] + IOMMU_REGISTERS_BYTES > units->address[i]);
        for (size_t j = 0; j < i; j++)
            CHECK(units->address[i] != units->address[j]);
    }
}

static void check(const struct acpi_header *table, const struct warnings *warnings,
                  const struct fuzz_warnings *counted)
{
    struct iommu_units units;

    if ((is_ivrs ? ivrs_read : dmar_read)(table, warnings, &units) == STATUS_OK)
        check_units(&units);
    else
        CHECK(counted->n == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    is_ivrs = size && bytes[0] & 1;
    return size ? fuzz_table(bytes + 1, size - 1, check) : 0;
}
