// SPDX-License-Identifier: MIT
#include "acpi/acpi.h"

#include "firmware/damage.h"
#include "firmware/q35.h"

/* A small machine: RSDP of revision 2, XSDT and RSDT that both list MADT and FADT. */

#define RSDP_AT 0xe1230
#define RSDT_AT 0x7000100
#define XSDT_AT 0x7000200
#define APIC_AT 0x7000300
#define FACP_AT 0x7000403 /* tables need not be aligned */

struct machine {
    struct fake_memory memory;
    struct phys_reader reader;
    struct warning_log log;
    struct warnings warnings;
    uint8_t *rsdp;
    uint8_t *rsdt, *xsdt, *apic, *facp;
};

#define RSDT_BYTES (sizeof(struct acpi_header) + 3 * 4)
#define XSDT_BYTES (sizeof(struct acpi_header) + 3 * 8)

static void mend_rsdp(uint8_t *rsdp)
{
    mend_checksum(rsdp, 20, 8);
    mend_checksum(rsdp, 36, 32);
}

static void put32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, 4);
}

static void put64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, 8);
}

static int set_up(void **state)
{
    static struct machine machine;
    struct machine *m = &machine;
    uint8_t rsdp[36] = "RSD PTR ", table[64];

    memset(m, 0, sizeof(*m));
    m->reader = fake_reader(&m->memory);
    m->warnings = warnings_to(&m->log);

    rsdp[15] = 2;
    put32(rsdp + 16, RSDT_AT);
    put32(rsdp + 20, 36);
    put64(rsdp + 24, XSDT_AT);
    mend_rsdp(rsdp);
    m->rsdp = fake_add(&m->memory, RSDP_AT, rsdp, sizeof(rsdp));

    make_header((void *)table, "RSDT", 1);
    put32(table + 36, APIC_AT);
    put32(table + 40, 0); /* some firmware leaves gaps */
    put32(table + 44, FACP_AT);
    seal_table(table, RSDT_BYTES);
    m->rsdt = fake_add(&m->memory, RSDT_AT, table, RSDT_BYTES);

    make_header((void *)table, "XSDT", 1);
    put64(table + 36, APIC_AT);
    put64(table + 44, 0);
    put64(table + 52, FACP_AT);
    seal_table(table, XSDT_BYTES);
    m->xsdt = fake_add(&m->memory, XSDT_AT, table, XSDT_BYTES);

    make_header((void *)table, "APIC", 3);
    seal_table(table, 44);
    m->apic = fake_add(&m->memory, APIC_AT, table, 44);
    make_header((void *)table, "FACP", 3);
    seal_table(table, 36);
    m->facp = fake_add(&m->memory, FACP_AT, table, 36);
    *state = m;
    return 0;
}

static int tear_down(void **state)
{
    struct machine *m = *state;

    fake_free(&m->memory);
    return 0;
}

static enum status open_at(struct machine *m, uint64_t rsdp, struct acpi *ret_acpi)
{
    memset(&m->log, 0, sizeof(m->log));
    return acpi_open(&m->reader, rsdp, &m->warnings, ret_acpi);
}

TEST(finds_tables_through_the_xsdt, set_up, tear_down)
{
    struct machine *m = *state;
    const struct acpi_header *table;
    struct acpi acpi;

    assert_int_equal(open_at(m, RSDP_AT, &acpi), STATUS_OK);
    assert_int_equal(acpi.entry_size, 8);
    assert_int_equal(acpi_find(&acpi, "FACP", &m->warnings, &table), STATUS_OK);
    assert_ptr_equal(table, m->facp);
    assert_int_equal(acpi_find(&acpi, "APIC", &m->warnings, &table), STATUS_OK);
    assert_ptr_equal(table, m->apic);
    assert_int_equal(acpi_find(&acpi, "SRAT", &m->warnings, &table), STATUS_NOT_FOUND);
    assert_int_equal(m->log.n, 0);
}

TEST(finds_the_rsdp_itself, set_up, tear_down)
{
    struct machine *m = *state;
    struct acpi acpi;

    assert_int_equal(open_at(m, 0, &acpi), STATUS_OK);
    assert_int_equal(m->log.n, 0);

    assert_int_equal(open_at(m, 0x5000, &acpi), STATUS_OK); /* a wrong address given */
    assert_warned(&m->log, 1, "no valid RSDP at 0x5000");
}

TEST(searches_both_ends_of_each_bios_area, set_up, tear_down)
{
    static const struct {
        uint64_t phys;
        size_t readable;
        enum status status;
    } places[] = {
        { 0xe0000, 36, STATUS_OK },
        { 0xffff0, 16, STATUS_NOT_FOUND }, /* it needs 20 bytes, the area has 16 more */
        { 0xfffe0, 36, STATUS_OK },
        { 0xdfff0, 36, STATUS_NOT_FOUND },
        { 0xe0008, 36, STATUS_NOT_FOUND }, /* not on 16 bytes */
        { 0x9fc00, 36, STATUS_OK },        /* the EBDA's first KiB */
        { 0x9fff0, 36, STATUS_OK },
        { 0xa0000, 36, STATUS_NOT_FOUND },
    };
    static const uint8_t ebda_segment[] = { 0xc0, 0x9f };
    struct machine *m = *state;
    struct acpi acpi;

    fake_add(&m->memory, 0x40e, ebda_segment, 2);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        m->memory.piece[0].phys = places[i].phys;
        m->memory.piece[0].length = places[i].readable;
        assert_int_equal(open_at(m, 0, &acpi), places[i].status);
        assert_int_equal(m->log.n, 0);
    }
}

TEST(uses_the_rsdt_when_the_xsdt_is_no_good, set_up, tear_down)
{
    struct machine *m = *state;
    const struct acpi_header *table;
    struct acpi acpi;

    /* An RSDP of ACPI 1.0 has none. */
    m->rsdp[15] = 0;
    mend_rsdp(m->rsdp);
    assert_int_equal(open_at(m, RSDP_AT, &acpi), STATUS_OK);
    assert_int_equal(acpi.entry_size, 4);
    assert_int_equal(acpi_find(&acpi, "FACP", &m->warnings, &table), STATUS_OK);
    assert_ptr_equal(table, m->facp);
    assert_int_equal(m->log.n, 0);

    /* It has none, though of revision 2. */
    m->rsdp[15] = 2;
    put64(m->rsdp + 24, 0);
    mend_rsdp(m->rsdp);
    assert_int_equal(open_at(m, RSDP_AT, &acpi), STATUS_OK);
    assert_int_equal(acpi.entry_size, 4);
    assert_int_equal(m->log.n, 0);

    /* Broken second half. */
    put64(m->rsdp + 24, XSDT_AT);
    mend_rsdp(m->rsdp);
    m->rsdp[33] ^= 1;
    assert_int_equal(open_at(m, RSDP_AT, &acpi), STATUS_OK);
    assert_int_equal(acpi.entry_size, 4);
    assert_warned(&m->log, 1, "its extended part is invalid");

    /* Broken XSDT. */
    m->rsdp[33] ^= 1;
    m->xsdt[50] ^= 1;
    assert_int_equal(open_at(m, RSDP_AT, &acpi), STATUS_OK);
    assert_int_equal(acpi.entry_size, 4);
    assert_warned(&m->log, 1, "XSDT at 0x7000200 has a wrong checksum");

    /* Empty XSDT. */
    seal_table(m->xsdt, sizeof(struct acpi_header) + 7);
    assert_int_equal(open_at(m, RSDP_AT, &acpi), STATUS_OK);
    assert_int_equal(acpi.entry_size, 4);
    assert_warned(&m->log, 1, "lists no table");
}

TEST(minds_the_rsdps_length, set_up, tear_down)
{
    static const struct {
        uint32_t length;
        bool ok;
    } lengths[] = { { 0, false },   { 35, false },   { 36, true },         { 37, true },
                    { 4096, true }, { 4097, false }, { UINT32_MAX, false } };
    struct machine *m = *state;

    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        static uint8_t rsdp[8192];
        uint64_t phys = 0x10000 + i * 0x10000;
        size_t length = lengths[i].length < 36 || lengths[i].length > 8192 ? 36 : lengths[i].length;
        struct acpi acpi;

        memcpy(rsdp, m->rsdp, 36);
        put32(rsdp + 20, lengths[i].length);
        mend_checksum(rsdp, length, 32);
        fake_add(&m->memory, phys, rsdp, length);
        assert_int_equal(open_at(m, phys, &acpi), STATUS_OK);
        assert_int_equal(acpi.entry_size, lengths[i].ok ? 8 : 4);
        assert_int_equal(m->log.n, lengths[i].ok ? 0 : 1);
    }
}

/* Readable but for the RSDP, which is another one, or gone, after it was mapped n_good times. */
static struct {
    struct machine *m;
    unsigned n_good, n_mapped;
    const uint8_t *other; /* NULL: it cannot be read any more */
} changing;

static const void *map_changing(void *ctx, uint64_t phys, size_t length)
{
    if (phys == RSDP_AT && ++changing.n_mapped > changing.n_good)
        return changing.other;
    return phys_map(&changing.m->reader, phys, length);
}

/* What was found to be right is what is used, at whatever time it changes. */
TEST(reads_the_rsdp_once, set_up, tear_down)
{
    struct machine *m = *state;
    uint8_t other[36];
    struct acpi acpi;

    memcpy(other, m->rsdp, sizeof(other));
    put32(other + 16, 0xbad000);
    put64(other + 24, 0xbad000);
    m->xsdt[50] ^= 1; /* so that the RSDT's address is needed as well */
    for (unsigned gone = 0; gone < 2; gone++) {
        for (unsigned n_good = 1; n_good < 5; n_good++) {
            const struct phys_reader reader = { .map = map_changing };

            changing.m = m;
            changing.n_good = n_good;
            changing.n_mapped = 0;
            changing.other = gone ? NULL : other;
            assert_int_equal(acpi_open(&reader, RSDP_AT, &m->warnings, &acpi), STATUS_OK);
            assert_int_equal(acpi.entry_size, 4);
        }
    }
}

TEST(says_when_there_is_nothing, set_up, tear_down)
{
    struct machine *m = *state;
    struct acpi acpi;

    m->xsdt[50] ^= 1;
    m->rsdt[40] ^= 1;
    assert_int_equal(open_at(m, RSDP_AT, &acpi), STATUS_INVALID);
    assert_warned(&m->log, 2, "RSDT at 0x7000100 has a wrong checksum");

    put64(m->rsdp + 24, 0);
    put32(m->rsdp + 16, 0);
    mend_rsdp(m->rsdp);
    assert_int_equal(open_at(m, RSDP_AT, &acpi), STATUS_INVALID);
    assert_warned(&m->log, 1, "has no usable list of tables");

    m->rsdp[9] ^= 1;
    assert_int_equal(open_at(m, 0, &acpi), STATUS_NOT_FOUND);
    assert_int_equal(m->log.n, 0);
}

TEST(refuses_broken_tables, set_up, tear_down)
{
    static const struct {
        uint32_t length;
        const char *text;
    } lengths[] = {
        { 0, "impossible length" },
        { 35, "impossible length" },
        { 45, "unreadable memory" },
        { ACPI_TABLE_MAX_BYTES, "unreadable memory" },
        { ACPI_TABLE_MAX_BYTES + 1, "impossible length" },
        { UINT32_MAX, "impossible length" },
    };
    struct machine *m = *state;
    const struct acpi_header *table = NULL;
    struct acpi acpi;

    assert_int_equal(open_at(m, RSDP_AT, &acpi), STATUS_OK);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        memset(&m->log, 0, sizeof(m->log));
        put32(m->apic + 4, lengths[i].length);
        assert_int_equal(acpi_find(&acpi, "APIC", &m->warnings, &table), STATUS_INVALID);
        assert_warned(&m->log, 1, lengths[i].text);
    }
    memset(&m->log, 0, sizeof(m->log));
    put32(m->apic + 4, 44);
    m->apic[43] ^= 1;
    assert_int_equal(acpi_find(&acpi, "APIC", &m->warnings, &table), STATUS_INVALID);
    assert_warned(&m->log, 1, "APIC at 0x7000300 has a wrong checksum; it is ignored");
    assert_null(table);
}

TEST(reads_a_table_at_an_address, set_up, tear_down)
{
    struct machine *m = *state;
    const struct acpi_header *table = NULL;

    assert_int_equal(acpi_table_at(&m->reader, FACP_AT, "FACP", &m->warnings, &table), STATUS_OK);
    assert_ptr_equal(table, m->facp);
    assert_int_equal(m->log.n, 0);
    assert_int_equal(acpi_table_at(&m->reader, FACP_AT, "DSDT", &m->warnings, &table),
                     STATUS_INVALID);
    assert_warned(&m->log, 1, "a wrong signature");
    assert_int_equal(acpi_table_at(&m->reader, UINT64_MAX - 3, "DSDT", &m->warnings, &table),
                     STATUS_INVALID);
    assert_warned(&m->log, 2, "not in readable memory");
}

TEST(leaves_out_unreadable_tables, set_up, tear_down)
{
    struct machine *m = *state;
    const struct acpi_header *table;
    struct acpi acpi;

    put64(m->xsdt + 36, 0xffffffffffffffe0);
    seal_table(m->xsdt, XSDT_BYTES);
    assert_int_equal(open_at(m, RSDP_AT, &acpi), STATUS_OK);
    assert_warned(&m->log, 1, "1 of 3 tables are in unreadable memory");
    assert_int_equal(acpi_find(&acpi, "APIC", &m->warnings, &table), STATUS_NOT_FOUND);
    assert_int_equal(acpi_find(&acpi, "FACP", &m->warnings, &table), STATUS_OK);
}

TEST(limits_the_number_of_tables, set_up, tear_down)
{
    static uint8_t xsdt[sizeof(struct acpi_header) + (ACPI_TABLES_MAX + 1) * 8];
    struct machine *m = *state;
    const struct acpi_header *table;
    struct acpi acpi;

    for (size_t extra = 0; extra < 2; extra++) {
        size_t length = sizeof(struct acpi_header) + (ACPI_TABLES_MAX + extra) * 8;
        uint8_t *copy;

        make_header((void *)xsdt, "XSDT", 1);
        memset(xsdt + 36, 0, sizeof(xsdt) - 36);
        put64(xsdt + length - 8, FACP_AT);
        copy = fake_add(&m->memory, XSDT_AT + 0x10000 * (extra + 1), xsdt, length);
        seal_table(copy, length);
        put64(m->rsdp + 24, XSDT_AT + 0x10000 * (extra + 1));
        mend_rsdp(m->rsdp);
        assert_int_equal(open_at(m, RSDP_AT, &acpi), STATUS_OK);
        assert_int_equal(acpi.n_entries, ACPI_TABLES_MAX);
        assert_int_equal(m->log.n, extra);
        assert_int_equal(acpi_find(&acpi, "FACP", &m->warnings, &table),
                         extra ? STATUS_NOT_FOUND : STATUS_OK);
    }
}

struct root {
    struct machine *machine;
    uint8_t *bytes;
    size_t length, checksum;
};

static void read_root(void *ctx)
{
    const struct root *root = ctx;
    struct machine *m = root->machine;
    const struct acpi_header *table;
    struct acpi acpi;

    if (root->bytes == m->rsdp)
        mend_checksum(m->rsdp, 20, 8);
    mend_checksum(root->bytes, root->length, root->checksum);
    if (open_at(m, RSDP_AT, &acpi) == STATUS_OK)
        acpi_find(&acpi, "FACP", &m->warnings, &table);
}

/* Every byte of RSDP, XSDT and RSDT wrong, and every one mended to be believed. */
TEST(survives_damaged_roots, set_up, tear_down)
{
    struct machine *m = *state;
    struct root roots[] = {
        { m, m->rsdp, 36, 32 },
        { m, m->xsdt, XSDT_BYTES, 9 },
        { m, m->rsdt, RSDT_BYTES, 9 },
    };

    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
        damage_bytes(roots[i].bytes, roots[i].length, read_root, &roots[i]);
}

TEST(walks_entries, set_up, tear_down)
{
    static const struct {
        uint8_t bytes[6];
        size_t length;
        int entries;
        bool ok;
    } lists[] = {
        { { 0 }, 0, 0, true },
        { { 7, 2, 8, 2 }, 4, 2, true },
        { { 7, 4, 8, 2 }, 4, 1, true },
        { { 9, 0, 0, 0 }, 4, 0, false },       /* zero length must not loop */
        { { 9, 1, 9, 2 }, 4, 0, false },       /* shorter than its own head */
        { { 9, 5, 0, 0 }, 4, 0, false },       /* one byte past the end */
        { { 9, 2, 9, 3, 0, 9 }, 6, 2, false }, /* half a head is left */
        { { 9, 2, 9, 255 }, 4, 1, false },
    };

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        size_t length = sizeof(struct acpi_header) + lists[i].length;
        uint8_t *table = malloc(length);
        struct acpi_cursor c;
        int entries = 0;

        make_header((void *)table, "TEST", 1);
        memcpy(table + sizeof(struct acpi_header), lists[i].bytes, lists[i].length);
        seal_table(table, length);
        c = acpi_entries((const void *)table, sizeof(struct acpi_header));
        while (acpi_next(&c))
            entries++;
        assert_int_equal(entries, lists[i].entries);
        assert_int_equal(c.pos == c.end, lists[i].ok);
        free(table);
    }
}

TEST(reads_a_real_machine, set_up, tear_down)
{
    static const char *const signatures[] = { "FACP", "APIC", "HPET", "SRAT", "SLIT", "MCFG" };
    FREED_BY(fake_free) struct fake_memory memory = { 0 };
    struct phys_reader reader = fake_reader(&memory);
    struct warning_log log = { 0 };
    struct warnings warnings = warnings_to(&log);
    const struct acpi_header *table;
    struct acpi acpi;

    fake_add_q35(&memory);
    assert_int_equal(acpi_open(&reader, 0, &warnings, &acpi), STATUS_OK);
    assert_int_equal(acpi.n_entries, 7);
    for (size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++)
        assert_int_equal(acpi_find(&acpi, signatures[i], &warnings, &table), STATUS_OK);
    assert_int_equal(log.n, 0);
}
