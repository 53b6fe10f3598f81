// SPDX-License-Identifier: MIT
#include "acpi/s5.h"

#include "firmware/damage.h"
#include "firmware/q35.h"

static struct acpi_header *make_as(const char *signature, const uint8_t *aml, size_t length)
{
    uint8_t *table = malloc(sizeof(struct acpi_header) + length);

    assert_non_null(table);
    make_header((void *)table, signature, 2);
    memcpy(table + sizeof(struct acpi_header), aml, length);
    seal_table(table, sizeof(struct acpi_header) + length);
    return (void *)table;
}

static struct acpi_header *make(const uint8_t *aml, size_t length)
{
    return make_as("DSDT", aml, length);
}

#define S5 '_', 'S', '5', '_'

TEST(finds_what_is_well_formed)
{
    static const struct {
        uint8_t aml[32];
        size_t length;
        int a, b; /* -1: not found */
    } cases[] = {
        { { 8, S5, 0x12, 6, 4, 0, 0, 0, 0 }, 12, 0, 0 },
        { { 8, '\\', S5, 0x12, 6, 4, 1, 0, 0, 0 }, 13, 1, 0 },
        { { 8, S5, 0x12, 8, 4, 0x0a, 5, 0x0a, 7, 0, 0 }, 14, 5, 7 },
        { { 8, S5, 0x12, 6, 2, 0x0a, 5, 0x0a, 7 }, 12, 5, 7 },
        { { 8, S5, 0x12, 8, 2, 0x0b, 5, 0, 0x0b, 6, 0 }, 14, 5, 6 },
        { { 8, S5, 0x12, 12, 2, 0x0c, 5, 0, 0, 0, 0x0c, 6, 0, 0, 0 }, 18, 5, 6 },
        { { 8, S5, 0x12, 12, 2, 0x0e, 5, 0, 0, 0, 0, 0, 0, 0, 1 }, 18, 5, 1 },
        { { 8, S5, 0x12, 0x45, 0, 2, 0, 1 }, 11, 0, 1 },                 /* PkgLength in 2 bytes */
        { { 8, S5, 0x12, 0xc7, 0, 0, 0, 2, 0, 1 }, 13, 0, 1 },           /* in 4 */
        { { 0x10, 8, 8, S5, 0x12, 4, 2, 0, 1 }, 12, 0, 1 },              /* anywhere */
        { { 8, S5, 0x12, 3, 2, 0, 8, S5, 0x12, 4, 2, 1, 0 }, 19, 1, 0 }, /* the good one of two */
        { { 0 }, 0, -1, -1 },
        { { 9, S5, 0x12, 6, 4, 0, 0, 0, 0 }, 12, -1, -1 }, /* no name */
        { { 8, S5, 0x13, 6, 4, 0, 0, 0, 0 }, 12, -1, -1 }, /* no package */
        { { 8, S5, 0x12, 4, 1, 0, 0 }, 11, -1, -1 },       /* one element */
        { { 8, S5, 0x12, 3, 2, 0, 0 }, 10, -1, -1 },       /* the package ends after one */
        { { 8, S5, 0x12, 5, 2, 0, 0 }, 10, -1, -1 },       /* it ends after the table */
        { { 8, S5, 0x12, 0, 2, 0, 0 }, 10, -1, -1 },       /* shorter than its length */
        { { 8, S5, 0x12, 0xcf, 0xff, 0xff, 0xff, 2, 0, 0 }, 13, -1, -1 },
        { { 8, S5, 0x12 }, 6, -1, -1 },                       /* cut off: before PkgLength */
        { { 8, S5, 0x12, 0x45 }, 7, -1, -1 },                 /* inside it */
        { { 8, S5, 0x12, 1 }, 7, -1, -1 },                    /* before NumElements */
        { { 8, S5, 0x12, 5, 2, 0, 0x0a, 7 }, 9, -1, -1 },     /* by the table, before a value */
        { { 8, S5, 0x12, 4, 2, 0, 0x0a, 7 }, 10, -1, -1 },    /* and by the package */
        { { 8, S5, 0x12, 6, 4, 0x0a, 8, 0, 0 }, 12, -1, -1 }, /* SLP_TYP has 3 bits */
        { { 8, S5, 0x12, 7, 4, 0x0b, 5, 1, 0, 0 }, 13, -1, -1 },
        { { 8, S5, 0x12, 6, 4, 0xff, 0xff, 0, 0 }, 12, -1, -1 },   /* Ones */
        { { 8, S5, 0x12, 6, 4, 'A', 'B', 'C', 'D' }, 12, -1, -1 }, /* a name, not a number */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct acpi_header *table = make(cases[i].aml, cases[i].length);
        struct s5 s5 = { 99, 99 };
        enum status status = s5_find(table, &s5);

        if (cases[i].a < 0) {
            assert_int_equal(status, STATUS_NOT_FOUND);
            assert_int_equal(s5.slp_typ_a, 99);
        } else {
            assert_int_equal(status, STATUS_OK);
            assert_int_equal(s5.slp_typ_a, cases[i].a);
            assert_int_equal(s5.slp_typ_b, cases[i].b);
        }
        free(table);
    }
}

enum { RSDP = 0xf0000, RSDT = 0x1000, DSDT = 0x2000, SSDTS = 0x3000, NO_S5 = 0xff, BROKEN = 0xfe };

static void add_table(struct fake_memory *m, uint64_t phys, const char *signature, uint8_t type)
{
    const uint8_t aml[] = { 8, '\\', S5, 0x12, 8, 4, 0x0a, type, 0x0a, type, 0, 0 };
    struct acpi_header *table = make_as(signature, aml, sizeof(aml));

    if (type == BROKEN)
        table->checksum++;
    fake_add(m, phys, table, table->length);
    free(table);
}

/* The list of tables: a DSDT is not in it. */
static void add_list(struct fake_memory *m, const uint8_t *ssdt, size_t n)
{
    uint8_t rsdp[20] = { 'R', 'S', 'D', ' ', 'P', 'T', 'R', ' ', [17] = RSDT >> 8 };
    uint8_t rsdt[sizeof(struct acpi_header) + 16];
    size_t length = sizeof(struct acpi_header) + 4 * n;

    make_header((void *)rsdt, "RSDT", 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t phys = SSDTS + 0x1000 * (uint32_t)i;

        memcpy(rsdt + sizeof(struct acpi_header) + 4 * i, &phys, 4);
        add_table(m, phys, i ? "SSDT" : "APIC", ssdt[i]);
    }
    seal_table(rsdt, length);
    fake_add(m, RSDT, rsdt, length);
    mend_checksum(rsdp, sizeof(rsdp), 8);
    fake_add(m, RSDP, rsdp, sizeof(rsdp));
}

/* As Dell has it in an SSDT, and where several tables have one, or are broken. */
TEST(looks_in_each_table)
{
    static const struct {
        uint8_t dsdt, other, ssdt[3]; /* sleep types; other: of a table that is neither */
        int expected;                 /* -1: not found */
        unsigned warnings;
    } cases[] = {
        { NO_S5, NO_S5, { 2, NO_S5, NO_S5 }, 2, 0 },
        { NO_S5, NO_S5, { NO_S5, NO_S5, 3 }, 3, 0 },
        { 5, NO_S5, { 2, NO_S5, NO_S5 }, 5, 0 },
        { NO_S5, NO_S5, { NO_S5, 7, 3 }, 7, 0 },
        { NO_S5, NO_S5, { BROKEN, 7, NO_S5 }, 7, 1 },
        { BROKEN, NO_S5, { NO_S5, 1, NO_S5 }, 1, 1 },
        { NO_S5, 4, { NO_S5, NO_S5, NO_S5 }, -1, 0 },
        { NO_S5, NO_S5, { NO_S5, NO_S5, NO_S5 }, -1, 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t listed[] = { cases[i].other, cases[i].ssdt[0], cases[i].ssdt[1], cases[i].ssdt[2] };
        FREED_BY(fake_free) struct fake_memory memory = { 0 };
        struct phys_reader reader = fake_reader(&memory);
        struct warning_log log = { 0 };
        struct warnings warnings = warnings_to(&log);
        struct s5 s5 = { 99, 99 };
        struct acpi acpi;

        add_table(&memory, DSDT, "DSDT", cases[i].dsdt);
        add_list(&memory, listed, sizeof(listed));
        assert_int_equal(acpi_open(&reader, RSDP, &warnings, &acpi), STATUS_OK);
        assert_int_equal(s5_find_in_all(&acpi, DSDT, &warnings, &s5),
                         cases[i].expected < 0 ? STATUS_NOT_FOUND : STATUS_OK);
        assert_int_equal(s5.slp_typ_a, cases[i].expected < 0 ? 99 : cases[i].expected);
        assert_int_equal(log.n, cases[i].warnings);
        s5.slp_typ_a = 99;
        if (cases[i].dsdt == 5) { /* without the DSDT */
            assert_int_equal(s5_find_in_all(&acpi, 0, &warnings, &s5), STATUS_OK);
            assert_int_equal(s5.slp_typ_a, 2);
        }
    }
}

static void read_any(const struct acpi_header *table, const struct warnings *warnings)
{
    struct s5 s5;

    if (s5_find(table, &s5) == STATUS_OK) {
        assert_in_range(s5.slp_typ_a, 0, 7);
        assert_in_range(s5.slp_typ_b, 0, 7);
    }
}

TEST(survives_damage)
{
    static const uint8_t aml[] = { 0x10, 8, '\\', S5, 0x12, 0x49, 0, 4,    0x0a, 5, 0x0b, 7, 0,
                                   0,    0, 8,    S5, 0x12, 8,    2, 0x0c, 1,    0, 0,    0, 0 };
    struct acpi_header *table = make(aml, sizeof(aml));

    damage_table(table, table->length, "DSDT", read_any);
    free(table);
}

TEST(reads_a_real_machine)
{
    FREED_BY(fake_free) struct fake_memory memory = { 0 };
    struct phys_reader reader = fake_reader(&memory);
    struct warning_log log = { 0 };
    struct warnings warnings = warnings_to(&log);
    const struct acpi_header *dsdt;
    struct s5 s5;

    fake_add_q35(&memory);
    assert_int_equal(acpi_table_at(&reader, 0x1ffe0040, "DSDT", &warnings, &dsdt), STATUS_OK);
    assert_int_equal(s5_find(dsdt, &s5), STATUS_OK);
    assert_int_equal(log.n, 0);
    assert_int_equal(s5.slp_typ_a, 0);
    assert_int_equal(s5.slp_typ_b, 0);
}
