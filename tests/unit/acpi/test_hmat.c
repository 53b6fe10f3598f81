// SPDX-License-Identifier: MIT
#include "acpi/hmat.h"

#include "firmware/builder.h"
#include "firmware/damage.h"

static struct builder b;

static struct hmat hmat;
static struct acpi_header *read_table;

static void begin(uint8_t revision)
{
    builder_begin(&b, "HMAT", revision, 40);
}

/* A structure of this type with room for what follows its head; returns where it begins. */
static uint8_t *add(uint16_t type, uint32_t length)
{
    uint8_t *at = b.bytes + b.length;

    assert_true(b.length + length <= sizeof(b.bytes));
    memcpy(at, &type, 2);
    memcpy(at + 4, &length, 4);
    b.length += length;
    return at;
}

static void put_16(uint8_t *at, uint16_t value)
{
    memcpy(at, &value, 2);
}

static void put_32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, 4);
}

static void put_64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, 8);
}

static void add_cache(uint32_t domain, uint64_t size_bytes)
{
    uint8_t *e = add(2, 32);

    put_32(e + 8, domain);
    put_64(e + 16, size_bytes);
}

static enum status read_built(void)
{
    struct warnings warnings = fresh_warnings();

    free(read_table);
    read_table = builder_table(&b);
    memset(&hmat, 0xaa, sizeof(hmat));
    return hmat_read(read_table, &warnings, &hmat);
}

TEST(finds_the_largest_cache)
{
    begin(2);
    add_cache(2, 16 * MIB);
    add_cache(2, 64 * MIB);
    add_cache(2, 32 * MIB);
    add_cache(3, 128 * MIB);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(hmat.n_caches, 4);
    assert_int_equal(hmat_side_cache_bytes(&hmat, 1), 0);
    assert_int_equal(hmat_side_cache_bytes(&hmat, 2), 64 * MIB);
    assert_int_equal(hmat_side_cache_bytes(&hmat, 3), 128 * MIB);
}

/* What memory is attached to, and how fast it is: known, and passed over. */
TEST(passes_over_other_structures)
{
    begin(2);
    put_16(add(0, 40) + 8, 1);
    add(1, 32);
    add_cache(2, 16 * MIB);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(hmat.n_caches, 1);
}

TEST(answers_without_a_table)
{
    static const struct hmat none;

    assert_int_equal(hmat_side_cache_bytes(&none, 0), 0);
}

TEST(drops_short_structures)
{
    begin(2);
    put_64(add(2, 31) + 16, MIB);
    add_cache(1, 0); /* of no size */
    add_cache(1, MIB);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(hmat.n_caches, 1);
    assert_warned(&log_, 1, "malformed structures, ignored: 2");
}

TEST(passes_over_unknown_types)
{
    begin(2);
    add(3, 8);
    add(0xffff, 100);
    add_cache(1, MIB);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(hmat.n_caches, 1);
    assert_warned(&log_, 1, "structures of unknown types, ignored: 2");
}

TEST(stops_at_an_impossible_length)
{
    static const uint32_t lengths[] = { 0, 1, 7, 33, 0xffffffff };

    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        begin(2);
        add_cache(1, MIB);
        put_32(add(2, 32) + 4, lengths[i]);
        assert_int_equal(read_built(), STATUS_OK);
        assert_int_equal(hmat.n_caches, 1);
        assert_warned(&log_, 1, "bytes not read: 32");
    }
}

TEST(says_what_does_not_fit)
{
    for (uint32_t extra = 0; extra < 2; extra++) {
        begin(2);
        for (uint32_t i = 0; i < HMAT_CACHES_MAX + extra; i++)
            add_cache(i, MIB);
        assert_int_equal(read_built(), STATUS_OK);
        assert_int_equal(hmat.n_caches, HMAT_CACHES_MAX);
        if (extra)
            assert_warned(&log_, 1, "beyond okram's limit, ignored: 1");
        else
            assert_int_equal(log_.n, 0);
    }
}

TEST(refuses_a_table_without_its_header)
{
    begin(2);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(log_.n, 0);
    b.length = 39;
    assert_int_equal(read_built(), STATUS_INVALID);
    assert_int_equal(hmat.cache[0].domain, 0xaaaaaaaa);
    assert_warned(&log_, 1, "39 bytes are too short");
}

static void read_any(const struct acpi_header *table, const struct warnings *warnings)
{
    if (hmat_read(table, warnings, &hmat) != STATUS_OK)
        return;
    for (uint32_t domain = 0; domain < 4; domain++)
        hmat_side_cache_bytes(&hmat, domain);
}

/* The machine of tests/data/qemu-q35-hmat, and what its QEMU was told. */
TEST(reads_a_real_machine)
{
    FREED_BY(fake_free) struct fake_memory memory = { 0 };
    struct phys_reader reader = fake_reader(&memory);
    struct warning_log log = { 0 };
    struct warnings warnings = warnings_to(&log);
    const struct acpi_header *table;
    struct acpi acpi;

    fake_add_file(&memory, 0xf59e0, "tests/data/qemu-q35-hmat/f59e0-rsdp.bin");
    fake_add_file(&memory, 0x1ffe239b, "tests/data/qemu-q35-hmat/1ffe239b-acpi.bin");
    assert_int_equal(acpi_open(&reader, 0xf59e0, &warnings, &acpi), STATUS_OK);
    assert_warned(&log, 1, "unreadable memory"); /* of tables that are not among the files */
    assert_int_equal(acpi_find(&acpi, "HMAT", &warnings, &table), STATUS_OK);
    assert_int_equal(hmat_read(table, &warnings, &hmat), STATUS_OK);
    assert_int_equal(log.n, 1);
    assert_int_equal(hmat_side_cache_bytes(&hmat, 2), 16 * MIB);
    damage_table(table, table->length, "HMAT", read_any);
}

int group_tear_down(void **state)
{
    free(read_table);
    return 0;
}
