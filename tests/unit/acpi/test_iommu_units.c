// SPDX-License-Identifier: MIT
#include "acpi/iommu_units.h"

#include "firmware/builder.h"
#include "firmware/damage.h"

static struct builder b;

static struct iommu_units units;

typedef enum status reader(const struct acpi_header *table, const struct warnings *warnings,
                           struct iommu_units *ret_units);

static enum status read_built(reader *read)
{
    memset(&units, 0xaa, sizeof(units));
    return READ_TABLE(read, builder_table(&b), &units);
}

/* VT-d 4.1, 8.3. */
static void add_dmar_unit(uint64_t registers)
{
    uint8_t e[24] = { 0, 0, 24, 0, 1 }; /* with a device scope of 8 bytes */

    memcpy(e + 8, &registers, 8);
    builder_add(&b, e, sizeof(e));
}

/* AMD 48882, 5.2.2. */
static void add_ivrs_unit(uint8_t type, uint8_t length, uint64_t registers)
{
    uint8_t e[64] = { type, 0, length, 0, 2, 0, 0x40, 0 };

    memcpy(e + 8, &registers, 8);
    builder_add(&b, e, length);
}

TEST(reads_dmar)
{
    static const uint8_t reserved_memory[24] = { 1, 0, 24, 0 };
    builder_begin(&b, "DMAR", 1, 48);
    add_dmar_unit(0xfed90000);
    builder_add(&b, reserved_memory, sizeof(reserved_memory));
    add_dmar_unit(0x4000fed91000);
    assert_int_equal(read_built(dmar_read), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(units.n, 2);
    assert_int_equal(units.address[0], 0xfed90000);
    assert_int_equal(units.address[1], 0x4000fed91000);
}

/* A unit has a block of each type that some system may know. */
TEST(reads_ivrs)
{
    builder_begin(&b, "IVRS", 2, 48);
    add_ivrs_unit(0x10, 24, 0xfeb80000);
    add_ivrs_unit(0x11, 40, 0xfeb80000);
    add_ivrs_unit(0x40, 60, 0xfeb80000);
    add_ivrs_unit(0x20, 32, 0x1234); /* memory that a device uses */
    add_ivrs_unit(0x40, 40, 0xfe000000);
    assert_int_equal(read_built(ivrs_read), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(units.n, 2);
    assert_int_equal(units.address[0], 0xfeb80000);
    assert_int_equal(units.address[1], 0xfe000000);
}

TEST(empty_tables_have_no_unit)
{
    builder_begin(&b, "DMAR", 1, 48);
    assert_int_equal(read_built(dmar_read), STATUS_OK);
    assert_int_equal(log_.n + units.n, 0);
    builder_begin(&b, "IVRS", 2, 48);
    assert_int_equal(read_built(ivrs_read), STATUS_OK);
    assert_int_equal(log_.n + units.n, 0);
}

TEST(reports_defects)
{
    builder_begin(&b, "DMAR", 1, 47);
    assert_int_equal(read_built(dmar_read), STATUS_INVALID);
    assert_warned(&log_, 1, "47 bytes are too short");
    builder_begin(&b, "IVRS", 2, 47);
    assert_int_equal(read_built(ivrs_read), STATUS_INVALID);
    assert_warned(&log_, 1, "47 bytes are too short");

    builder_begin(&b, "DMAR", 1, 48);
    builder_add(&b, (uint8_t[12]){ 0, 0, 12, 0 }, 12);
    add_dmar_unit(0);
    add_dmar_unit(0xfed90800);
    add_dmar_unit(UINT64_MAX - 4095);
    add_dmar_unit(0xfed90000);
    builder_add(&b, (uint8_t[5]){ 0, 0, 3, 0 }, 5);
    assert_int_equal(read_built(dmar_read), STATUS_OK);
    assert_warned(&log_, 3, "DMAR: malformed structures, ignored: 1");
    assert_warned(&log_, 3, "registers at an invalid address, ignored: 3");
    assert_warned(&log_, 3, "impossible length; bytes not read: 5");
    assert_int_equal(units.n, 1);

    builder_begin(&b, "IVRS", 2, 48);
    builder_add(&b, (uint8_t[15]){ 0x10, 0, 15, 0 }, 15);
    builder_add(&b, (uint8_t[3]){ 0x10 }, 3);
    assert_int_equal(read_built(ivrs_read), STATUS_OK);
    assert_warned(&log_, 2, "IVRS: malformed structures, ignored: 1");
    assert_warned(&log_, 2, "bytes not read: 3");
    assert_int_equal(units.n, 0);
}

TEST(takes_so_many)
{
    for (uint64_t n = 64; n <= 65; n++) {
        builder_begin(&b, "DMAR", 1, 48);
        for (uint64_t i = 1; i <= n; i++)
            add_dmar_unit(i << 12);
        assert_int_equal(read_built(dmar_read), STATUS_OK);
        assert_int_equal(units.n, 64);
        if (n == 64)
            assert_int_equal(log_.n, 0);
        else
            assert_warned(&log_, 1, "units beyond the first 64, ignored: 1");
    }
}

READ_ANY(read_dmar, dmar_read, &units)

READ_ANY(read_ivrs, ivrs_read, &units)

TEST(survives_damage)
{
    struct acpi_header *table;
    builder_begin(&b, "DMAR", 1, 48);
    add_dmar_unit(0xfed90000);
    add_dmar_unit(0xfed91000);
    table = builder_table(&b);
    damage_table(table, table->length, "DMAR", read_dmar);
    free(table);
    builder_begin(&b, "IVRS", 2, 48);
    add_ivrs_unit(0x10, 24, 0xfeb80000);
    add_ivrs_unit(0x40, 40, 0xfeb80000);
    table = builder_table(&b);
    damage_table(table, table->length, "IVRS", read_ivrs);
    free(table);
}
