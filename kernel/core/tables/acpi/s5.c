// SPDX-License-Identifier: MIT
#include "acpi/s5.h"

#include <stdbool.h>
#include <stddef.h>

#include "lib/string.h"

/* AML encoding: ACPI 6.5, 20.2. */
enum aml_op {
    AML_ZERO = 0x00,
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
};

static bool aml_byte(struct aml *a, uint8_t *ret_byte)
{
    if (a->pos >= a->end)
        return false;
    *ret_byte = *a->pos++;
    return true;
}

/* Enters a package: from its PkgLength on (20.2.4), which counts its own bytes. */
static bool aml_enter(struct aml *a)
{
    const uint8_t *start = a->pos;
    uint8_t lead, next;
    size_t length;

    if (!aml_byte(a, &lead))
        return false;
    if (lead >> 6 == 0) {
        length = lead;
    } else {
        length = lead & 0xf;
        for (unsigned i = 0; i < lead >> 6; i++) {
            if (!aml_byte(a, &next))
                return false;
            length |= (size_t)next << (4 + 8 * i);
        }
    }
    if (length < (size_t)(a->pos - start) || length > (size_t)(a->end - start))
        return false;
    a->end = start + length;
    return true;
}

static bool aml_sleep_type(struct aml *a, uint8_t *ret_type)
{
    uint8_t op, byte;
    uint64_t value = 0;
    unsigned bytes;

    if (!aml_byte(a, &op))
        return false;
    switch (op) {
    case AML_ZERO:
    case AML_ONE: *ret_type = op; return true;
    case AML_BYTE: bytes = 1; break;
    case AML_WORD: bytes = 2; break;
    case AML_DWORD: bytes = 4; break;
    case AML_QWORD: bytes = 8; break;
    default: return false;
    }
    for (unsigned i = 0; i < bytes; i++) {
        if (!aml_byte(a, &byte))
            return false;
        value |= (uint64_t)byte << (8 * i);
    }
    if (value > SLP_TYP_MAX)
        return false;
    *ret_type = (uint8_t)value;
    return true;
}

/* NameOp, an optional backslash, "_S5_", PackageOp, PkgLength, NumElements, elements. */
static bool aml_s5(struct aml a, struct s5 *ret_s5)
{
    struct s5 s5;
    uint8_t byte;

    if (!aml_byte(&a, &byte) || byte != AML_NAME)
        return false;
    if (a.pos < a.end && *a.pos == AML_ROOT)
        a.pos++;
    if (a.end - a.pos < 4 || memcmp(a.pos, "_S5_", 4) != 0)
        return false;
    a.pos += 4;
    if (!aml_byte(&a, &byte) || byte != AML_PACKAGE || !aml_enter(&a))
        return false;
    if (!aml_byte(&a, &byte) || byte < 2)
        return false;
    if (!aml_sleep_type(&a, &s5.slp_typ_a) || !aml_sleep_type(&a, &s5.slp_typ_b))
        return false;
    *ret_s5 = s5;
    return true;
}

enum status s5_find(const struct acpi_header *dsdt, struct s5 *ret_s5)
{
    const uint8_t *end = (const uint8_t *)dsdt + dsdt->length;

    for (const uint8_t *pos = (const uint8_t *)(dsdt + 1); pos < end; pos++) {
        if (aml_s5((struct aml){ .pos = pos, .end = end }, ret_s5))
            return STATUS_OK;
    }
    return STATUS_NOT_FOUND;
}
