// SPDX-License-Identifier: MIT
#include "acpi/cper_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
/* cmocka wants those before. */
#include <cmocka.h>

#include "acpi/error_bytes.h"

#define FIRST_BYTES  80
#define SECOND_BYTES 96

/* Offsets of UEFI 2.10, N.2.5 and N.2.6. */
enum { AT_ADDR = 16, AT_MASK = 24, AT_NODE = 32, AT_CARD = 34, AT_MODULE = 36, AT_BANK = 38 };
enum {
    FIRST_DEVICE = 40,
    FIRST_ROW = 42,
    FIRST_COLUMN = 44,
    FIRST_WHAT = 72,
    FIRST_EXTENDED = 73,
    FIRST_RANK = 74
};
enum {
    SECOND_DEVICE = 40,
    SECOND_ROW = 44,
    SECOND_COLUMN = 48,
    SECOND_RANK = 52,
    SECOND_WHAT = 61
};

static enum status read_bytes(const uint8_t *kind, uint32_t severity, const char *fru,
                              const uint8_t *bytes, size_t n, struct cper_memory *ret)
{
    struct error_section s = { .severity = severity, .bytes = n };
    uint8_t *copy = malloc(n ? n : 1);
    enum status status;

    memcpy(copy, bytes, n);
    memcpy(s.kind, kind, 16);
    strcpy(s.fru, fru);
    s.data = copy;
    status = cper_memory_read(&s, ret);
    free(copy);
    return status;
}

static struct cper_memory first(uint64_t valid, uint64_t addr, uint64_t mask)
{
    uint8_t bytes[FIRST_BYTES] = { 0 };
    struct cper_memory m;

    put(bytes, valid, 8);
    put(bytes + AT_ADDR, addr, 8);
    put(bytes + AT_MASK, mask, 8);
    assert_int_equal(read_bytes(memory_kind, ERROR_CORRECTED, "", bytes, FIRST_BYTES, &m),
                     STATUS_OK);
    return m;
}

static void an_exact_address_gives_the_page(void **state)
{
    static const struct {
        uint64_t valid, mask;
        bool has_addr, has_page;
    } cases[] = {
        { 0, 0, false, false },
        { 2, 0, true, true }, /* no mask is given */
        { 6, UINT64_MAX, true, true },
        { 6, 0x000ffffffffff000, true, true },
        { 6, 0x000fffffffffe000, true, false }, /* one of two pages */
        { 6, 0x0007fffffffff000, true, false },
        { 6, 0x000fffffffffefff, true, false },
        { 6, 0, true, false },
        { 4, UINT64_MAX, false, false }, /* a mask of nothing */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cper_memory m = first(cases[i].valid, 0x123456789abc0, cases[i].mask);

        assert_int_equal(m.has_addr, cases[i].has_addr);
        assert_int_equal(m.has_page, cases[i].has_page);
        assert_int_equal(m.addr, cases[i].has_addr ? 0x123456789abc0 : 0);
    }
}

static void fields_of_both_sections(void **state)
{
    uint8_t a[FIRST_BYTES] = { 0 }, b[SECOND_BYTES] = { 0 };
    static const uint32_t expected[CPER_FIELDS] = { 1, 2, 3, 8, 5, 4, 6, 7 };
    struct cper_memory m[2];

    put(a, 0x3f8 | 1 << 14 | 1 << 15, 8);
    put(b, 0x3f8 | 1 << 10 | 1 << 13, 8);
    for (unsigned i = 0; i < 4; i++) {
        put(a + AT_NODE + 2 * i, i + 1, 2);
        put(b + AT_NODE + 2 * i, i + 1, 2);
    }
    put(a + FIRST_DEVICE, 5, 2);
    put(a + FIRST_ROW, 6, 2);
    put(a + FIRST_COLUMN, 7, 2);
    put(a + FIRST_RANK, 8, 2);
    a[FIRST_WHAT] = 2;
    put(b + SECOND_DEVICE, 5, 4);
    put(b + SECOND_ROW, 6, 4);
    put(b + SECOND_COLUMN, 7, 4);
    put(b + SECOND_RANK, 8, 4);
    b[SECOND_WHAT] = 2;
    assert_int_equal(read_bytes(memory_kind, 1, "DIMM_A1", a, FIRST_BYTES, &m[0]), STATUS_OK);
    assert_int_equal(read_bytes(memory_2_kind, 1, "DIMM_A1", b, SECOND_BYTES, &m[1]), STATUS_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(m[i].given, (1u << CPER_FIELDS) - 1);
        assert_memory_equal(m[i].field, expected, sizeof(expected));
        assert_string_equal(m[i].what, "single-bit ECC");
        assert_string_equal(m[i].fru, "DIMM_A1");
        assert_int_equal(m[i].severity, ERROR_FATAL);
        assert_false(m[i].has_addr);
    }
    assert_true(cper_memory_is_same(&m[0], &m[1]));
    m[1].field[CPER_ROW]++;
    assert_false(cper_memory_is_same(&m[0], &m[1]));
}

/* 18 bits of row; a bank of group and address. */
static void extended_fields(void **state)
{
    uint8_t a[FIRST_BYTES] = { 0 };
    struct cper_memory m;

    put(a, 1 << 18 | 1 << 19 | 1 << 20, 8);
    put(a + FIRST_ROW, 0xffff, 2);
    a[FIRST_EXTENDED] = 0xe2; /* the upper bits are a chip's */
    put(a + AT_BANK, 0x0302, 2);
    assert_int_equal(read_bytes(memory_kind, 2, "", a, FIRST_BYTES, &m), STATUS_OK);
    assert_int_equal(m.given, 1 << CPER_ROW | 1 << CPER_BANK);
    assert_int_equal(m.field[CPER_ROW], 0x2ffff);
    assert_int_equal(m.field[CPER_BANK], 0x0302);
}

static void sections_may_be_of_an_old_form_but_not_shorter(void **state)
{
    uint8_t bytes[SECOND_BYTES] = { 0 };
    struct cper_memory m = { .addr = 9 };

    put(bytes, 1 << 14 | 1 << 15 | 1 << 18, 8);
    bytes[FIRST_WHAT] = 8;
    bytes[FIRST_EXTENDED] = 3;
    bytes[FIRST_RANK] = 1;
    assert_int_equal(read_bytes(memory_kind, 2, "", bytes, 72, &m), STATUS_INVALID);
    assert_int_equal(read_bytes(memory_2_kind, 2, "", bytes, 95, &m), STATUS_INVALID);
    assert_int_equal(read_bytes(other_kind, 2, "", bytes, 96, &m), STATUS_NOT_FOUND);
    assert_int_equal(m.addr, 9);
    assert_int_equal(read_bytes(memory_kind, 2, "", bytes, 73, &m), STATUS_OK);
    assert_string_equal(m.what, "parity");
    assert_int_equal(m.given, 1 << CPER_ROW);
    assert_int_equal(m.field[CPER_ROW], 0);
    bytes[FIRST_WHAT] = 16; /* of a later standard */
    assert_int_equal(read_bytes(memory_kind, 2, "", bytes, 73, &m), STATUS_OK);
    assert_null(m.what);
}

static void severities(void **state)
{
    assert_string_equal(cper_severity_name(0), "uncorrected");
    assert_string_equal(cper_severity_name(1), "fatal");
    assert_string_equal(cper_severity_name(2), "corrected");
    assert_string_equal(cper_severity_name(3), "information");
    assert_string_equal(cper_severity_name(4), "fatal");
}

static void assert_module(const struct cper_memory *m, const char *expected)
{
    char text[40];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    cper_append_module(&b, m);
    assert_string_equal(text, expected);
    assert_false(b.cut);
}

static void the_module_is_named(void **state)
{
    struct cper_memory m = { .given = 1 << CPER_CARD | 1 << CPER_MODULE | 1 << CPER_ROW,
                             .field = { 9, 0, 3 },
                             .fru = "DIMM_A1" };

    assert_module(&m, "card 0, module 3");
    m.given = 7;
    m.field[0] = m.field[1] = m.field[2] = 65535;
    assert_module(&m, "node 65535, card 65535, module 65535");
    m.given = 1 << CPER_ROW;
    assert_module(&m, "DIMM_A1");
    m.fru[0] = 0;
    assert_module(&m, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exact_address_gives_the_page),
        cmocka_unit_test(fields_of_both_sections),
        cmocka_unit_test(extended_fields),
        cmocka_unit_test(sections_may_be_of_an_old_form_but_not_shorter),
        cmocka_unit_test(severities),
        cmocka_unit_test(the_module_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
