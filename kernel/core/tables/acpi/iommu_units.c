// SPDX-License-Identifier: MIT
#include "acpi/iommu_units.h"

#include <stdbool.h>

#include "lib/minmax.h"
#include "lib/span.h"
#include "lib/string.h"

#define TABLE_BYTES 48u /* of both: header, 12 bytes of their own, structures */

/*
 * What the structure of a unit begins with in both tables; length counts all of it. DMAR has a type
 * of 16 bits (8.2), IVRS one of 8 bits and flags; its blocks of types 11h and 40h are longer.
 */
struct unit {
    uint8_t type[2];
    uint16_t length;
    uint8_t other[4];
    uint64_t registers;
} __attribute__((packed));
_Static_assert(sizeof(struct unit) == 16, "VT-d 4.1, 8.3; AMD 48882, 5.2.2");

#define HEAD_BYTES 4u
#define DMAR_UNIT  0

/* The same unit may have a block of each type. */
#define IVRS_UNIT_10 0x10
#define IVRS_UNIT_11 0x11
#define IVRS_UNIT_40 0x40

enum defect { BROKEN, ADDRESS, LOST, CUT_OFF, DEFECTS };

static const char *const defect_text[DEFECTS] = {
    [BROKEN] = "malformed structures, ignored",
    [ADDRESS] = "units with registers at an invalid address, ignored",
    [LOST] = "units beyond the first 64, ignored",
    [CUT_OFF] = "a structure has an impossible length; bytes not read",
};
_Static_assert(IOMMU_UNITS_MAX == 64, "as in defect_text");

static void add_unit(struct iommu_units *units, uint64_t address, uint64_t *defects)
{
    if (!address || address % PAGE_SIZE || address > UINT64_MAX - IOMMU_REGISTERS_BYTES) {
        defects[ADDRESS]++;
        return;
    }
    for (size_t i = 0; i < units->n; i++) {
        if (units->address[i] == address)
            return;
    }
    if (units->n < IOMMU_UNITS_MAX)
        units->address[units->n++] = address;
    else
        defects[LOST]++;
}

static bool is_dmar_unit(const uint8_t type[2])
{
    return (type[0] | type[1] << 8) == DMAR_UNIT;
}

static bool is_ivrs_unit(const uint8_t type[2])
{
    return type[0] == IVRS_UNIT_10 || type[0] == IVRS_UNIT_11 || type[0] == IVRS_UNIT_40;
}

static enum status read_units(const struct acpi_header *table, const char *name,
                              bool (*is_unit)(const uint8_t type[2]),
                              const struct warnings *warnings, struct iommu_units *ret_units)
{
    const uint8_t *at = (const uint8_t *)table, *end = at + table->length;
    uint64_t defects[DEFECTS] = { 0 };
    struct unit unit;

    if (!acpi_table_holds(table, TABLE_BYTES, name, warnings))
        return STATUS_INVALID;
    ret_units->n = 0;
    for (at += TABLE_BYTES; (size_t)(end - at) >= HEAD_BYTES; at += unit.length) {
        memcpy(&unit, at, min_u64((uint64_t)(end - at), sizeof(unit)));
        if (unit.length < HEAD_BYTES || unit.length > end - at)
            break;
        if (is_unit(unit.type) && unit.length < sizeof(unit))
            defects[BROKEN]++;
        else if (is_unit(unit.type))
            add_unit(ret_units, unit.registers, defects);
    }
    defects[CUT_OFF] = (uint64_t)(end - at);
    warn_counts(warnings, name, defect_text, defects, DEFECTS);
    return STATUS_OK;
}

enum status dmar_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct iommu_units *ret_units)
{
    return read_units(table, "DMAR", is_dmar_unit, warnings, ret_units);
}

enum status ivrs_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct iommu_units *ret_units)
{
    return read_units(table, "IVRS", is_ivrs_unit, warnings, ret_units);
}
