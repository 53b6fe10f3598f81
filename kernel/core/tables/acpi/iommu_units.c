// SPDX-License-Identifier: MIT
#include "acpi/iommu_units.h"

#include <stdbool.h>

#include "lib/span.h"
#include "lib/string.h"

#define TABLE_BYTES 48u /* of both: header, 12 bytes of their own, structures */

/* The head of a structure: length counts the head, too. DMAR: type of 16 bits (8.2). */
struct dmar_head {
    uint16_t type, length;
};

struct dmar_unit {
    struct dmar_head head;
    uint8_t flags, size;
    uint16_t segment;
    uint64_t registers;
} __attribute__((packed));
_Static_assert(sizeof(struct dmar_unit) == 16, "VT-d 4.1, 8.3");

#define DMAR_UNIT 0

/* 5.2.2.1; blocks of types 11h and 40h are longer, and begin like this. */
struct ivrs_unit {
    uint8_t type, flags;
    uint16_t length, device, capability;
    uint64_t registers;
} __attribute__((packed));
_Static_assert(sizeof(struct ivrs_unit) == 16, "AMD 48882, 5.2.2");

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

static void read_dmar(struct iommu_units *units, const uint8_t *bytes, size_t length,
                      uint64_t *defects)
{
    struct dmar_unit unit;
    struct dmar_head head;

    memcpy(&head, bytes, sizeof(head));
    if (head.type != DMAR_UNIT)
        return;
    if (length < sizeof(unit)) {
        defects[BROKEN]++;
        return;
    }
    memcpy(&unit, bytes, sizeof(unit));
    add_unit(units, unit.registers, defects);
}

static void read_ivrs(struct iommu_units *units, const uint8_t *bytes, size_t length,
                      uint64_t *defects)
{
    struct ivrs_unit unit;
    uint8_t type = bytes[0];

    if (type != IVRS_UNIT_10 && type != IVRS_UNIT_11 && type != IVRS_UNIT_40)
        return;
    if (length < sizeof(unit)) {
        defects[BROKEN]++;
        return;
    }
    memcpy(&unit, bytes, sizeof(unit));
    add_unit(units, unit.registers, defects);
}

/* In both tables a structure's length is at its bytes 2 and 3. */
static enum status read_units(const struct acpi_header *table, const char *name,
                              void (*read)(struct iommu_units *units, const uint8_t *bytes,
                                           size_t length, uint64_t *defects),
                              const struct warnings *warnings, struct iommu_units *ret_units)
{
    const uint8_t *at = (const uint8_t *)table, *end = at + table->length;
    uint64_t defects[DEFECTS] = { 0 };
    uint16_t length;

    if (!acpi_table_holds(table, TABLE_BYTES, name, warnings))
        return STATUS_INVALID;
    ret_units->n = 0;
    for (at += TABLE_BYTES; (size_t)(end - at) >= sizeof(struct dmar_head); at += length) {
        memcpy(&length, at + 2, sizeof(length));
        if (length < sizeof(struct dmar_head) || length > end - at)
            break;
        read(ret_units, at, length, defects);
    }
    defects[CUT_OFF] = (uint64_t)(end - at);
    warn_counts(warnings, name, defect_text, defects, DEFECTS);
    return STATUS_OK;
}

enum status dmar_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct iommu_units *ret_units)
{
    return read_units(table, "DMAR", read_dmar, warnings, ret_units);
}

enum status ivrs_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct iommu_units *ret_units)
{
    return read_units(table, "IVRS", read_ivrs, warnings, ret_units);
}
