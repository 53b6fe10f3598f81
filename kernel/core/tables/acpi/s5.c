// SPDX-License-Identifier: MIT
#include "acpi/s5.h"

#include <stdbool.h>
#include <stddef.h>

#include "lib/string.h"

/* AML encoding: ACPI 6.5, 20.2. */
enum aml_op {
    AML_ONE = 0x01,
    AML_NAME = 0x08,
    AML_BYTE = 0x0a,
    AML_WORD = 0x0b,
    AML_DWORD = 0x0c,
    AML_QWORD = 0x0e,
    AML_PACKAGE = 0x12,
    AML_ROOT = '\\',
};

#define SLP_TYP_MAX 7u /* a 3-bit field */

struct aml {
    const uint8_t *pos;
    const uint8_t *end;
    bool is_wrong; /* it ended too early, or a number is too large for a sleep type */
};

/* The next byte. At the end: 0, and all is wrong. */
static uint8_t aml_byte(struct aml *a)
{
    if (a->pos < a->end)
        return *a->pos++;
    a->is_wrong = true;
    return 0;
}

/* Enters a package: from its PkgLength on (20.2.4), which counts its own bytes. */
static void aml_enter(struct aml *a)
{
    const uint8_t *start = a->pos;
    uint8_t lead = aml_byte(a);
    unsigned more = lead >> 6;
    size_t length = more ? lead & 0xf : lead;

    for (unsigned i = 0; i < more; i++)
        length |= (size_t)aml_byte(a) << (4 + 8 * i);
    if (length > (size_t)(a->end - start))
        a->is_wrong = true;
    else
        a->end = start + length;
}

static unsigned bytes_of_number(uint8_t op)
{
    switch (op) {
    case AML_BYTE: return 1;
    case AML_WORD: return 2;
    case AML_DWORD: return 4;
    case AML_QWORD: return 8;
    default: return 0;
    }
}

static uint8_t aml_sleep_type(struct aml *a)
{
    uint8_t op = aml_byte(a);
    unsigned bytes = bytes_of_number(op);
    uint64_t value = bytes ? 0 : op; /* Zero and One are their own numbers */

    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)aml_byte(a) << (8 * i);
    a->is_wrong |= value > (bytes ? SLP_TYP_MAX : AML_ONE);
    return (uint8_t)value;
}

/* NameOp, an optional backslash, "_S5_", PackageOp, PkgLength, NumElements, elements. */
static bool aml_s5(struct aml a, struct s5 *ret_s5)
{
    struct s5 s5;

    if (aml_byte(&a) != AML_NAME)
        return false;
    if (a.pos < a.end && *a.pos == AML_ROOT)
        a.pos++;
    if (a.end - a.pos < 4 || memcmp(a.pos, "_S5_", 4) != 0)
        return false;
    a.pos += 4;
    if (aml_byte(&a) != AML_PACKAGE)
        return false;
    aml_enter(&a);
    if (aml_byte(&a) < 2)
        return false;
    s5.slp_typ_a = aml_sleep_type(&a);
    s5.slp_typ_b = aml_sleep_type(&a);
    if (a.is_wrong)
        return false;
    *ret_s5 = s5;
    return true;
}

enum status s5_find(const struct acpi_header *table, struct s5 *ret_s5)
{
    const uint8_t *end = (const uint8_t *)table + table->length;

    for (const uint8_t *pos = (const uint8_t *)(table + 1); pos < end; pos++) {
        if (aml_s5((struct aml){ .pos = pos, .end = end }, ret_s5))
            return STATUS_OK;
    }
    return STATUS_NOT_FOUND;
}

enum status s5_find_in_all(const struct acpi *acpi, uint64_t dsdt, const struct warnings *warnings,
                           struct s5 *ret_s5)
{
    const struct acpi_header *table;
    enum status status;
    size_t i = 0;

    if (dsdt && acpi_table_at(&acpi->reader, dsdt, "DSDT", warnings, &table) == STATUS_OK &&
        s5_find(table, ret_s5) == STATUS_OK)
        return STATUS_OK;
    while ((status = acpi_find_next(acpi, "SSDT", &i, warnings, &table)) != STATUS_NOT_FOUND) {
        if (status == STATUS_OK && s5_find(table, ret_s5) == STATUS_OK)
            return STATUS_OK;
    }
    return STATUS_NOT_FOUND;
}
