// SPDX-License-Identifier: MIT
/* Where tables are: those of QEMU's q35, and some that are in odd places. */
#include "acpi/table_ranges.h"

#include "firmware/q35.h"

#define RSDP_AT   0x123ff0 /* its end is in the next page */
#define XSDT_AT   0x200100
#define SMBIOS_AT 0x300000
#define LIST_AT   0x301800

static struct fake_memory memory;
static struct span range[TABLE_RANGES_MAX];
static struct spans ranges = { .span = range, .max = TABLE_RANGES_MAX };

static void find(uint64_t rsdp, uint64_t smbios)
{
    struct phys_reader reader = fake_reader(&memory);

    ranges.n = 0;
    table_ranges_find(&reader, rsdp, smbios, &ranges);
    for (size_t i = 0; i < ranges.n; i++) {
        assert_true(range[i].size > 0);
        assert_int_equal((range[i].base | range[i].size) % PAGE_SIZE, 0);
        assert_true(i == 0 || span_end(range[i - 1]) < range[i].base);
    }
}

static void expect(size_t i, uint64_t base, uint64_t size)
{
    assert_true(i < ranges.n);
    assert_int_equal(range[i].base, base);
    assert_int_equal(range[i].size, size);
}

static int tear_down(void **state)
{
    fake_free(&memory);
    return 0;
}

/* Those of ACPI are together; SMBIOS is in the page of the entry points. */
TEST(tables_of_q35, NULL, tear_down)
{
    fake_add_q35(&memory);
    find(Q35_RSDP, Q35_SMBIOS);
    assert_int_equal(ranges.n, 2);
    expect(0, 0xf5000, 0x1000);
    expect(1, 0x1ffe0000, 0x3000);
    find(0, 0); /* found in the BIOS area: where the entry points are is not said */
    expect(1, 0x1ffe0000, 0x3000);
}

static void put64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, 8);
}

static uint8_t *add_table(uint64_t phys, const char *signature, size_t length)
{
    uint8_t *table = calloc(1, length), *copy;

    assert_non_null(table);
    make_header((void *)table, signature, 3);
    seal_table(table, length);
    copy = fake_add(&memory, phys, table, length);
    free(table);
    return copy;
}

static void add_rsdp(void)
{
    uint8_t rsdp[36] = "RSD PTR ";

    rsdp[15] = 2;
    rsdp[20] = 36;
    put64(rsdp + 24, XSDT_AT);
    mend_checksum(rsdp, 20, 8);
    mend_checksum(rsdp, 36, 32);
    fake_add(&memory, RSDP_AT, rsdp, sizeof(rsdp));
}

static void add_list(const uint64_t *phys, size_t n)
{
    size_t length = sizeof(struct acpi_header) + n * 8;
    uint8_t *list = add_table(XSDT_AT, "XSDT", length);

    memcpy(list + sizeof(struct acpi_header), phys, n * 8);
    seal_table(list, length);
}

/* Each in its pages, also the DSDT that only the FADT names; those that adjoin in one range. */
TEST(each_table, NULL, tear_down)
{
    static const uint64_t phys[] = { 0x405f00, 0x402ffe, 0, 0x500000, 0x404000 };
    uint8_t *fadt;

    add_rsdp();
    add_list(phys, 5);
    add_table(0x405f00, "APIC", 0x101);
    fadt = add_table(0x402ffe, "FACP", 244);
    add_table(0x404000, "SSDT", 0x1000);
    put64(fadt + 140, 0x600800);
    seal_table(fadt, 244);
    add_table(0x600800, "DSDT", 0x2000);
    find(RSDP_AT, 0);
    assert_int_equal(ranges.n, 4);
    expect(0, 0x123000, 0x2000);
    expect(1, 0x200000, 0x1000);
    expect(2, 0x402000, 0x5000);
    expect(3, 0x600000, 0x3000);
}

/* They are not read either. */
TEST(tables_that_are_invalid, NULL, tear_down)
{
    static const uint64_t phys[] = { 0x400000, 0x410000, 0x420000 };
    uint8_t *table;

    add_rsdp();
    add_list(phys, 3);
    table = add_table(0x400000, "SSDT", 0x3000);
    table[100] ^= 1;
    table = add_table(0x410000, "FACP", 244);
    put64(table + 140, 0x430000); /* no table is there */
    seal_table(table, 244);
    find(RSDP_AT, 0x999000); /* nor an entry point of SMBIOS */
    assert_int_equal(ranges.n, 3);
    expect(2, 0x410000, 0x1000);
    find(0x999000, 0);
    assert_int_equal(ranges.n, 0);
}

TEST(smbios_alone, NULL, tear_down)
{
    uint8_t entry[24] = "_SM3_";
    static const uint8_t structures[0x900] = { 127, 4 };
    uint64_t at = LIST_AT;
    uint32_t length = sizeof(structures);

    entry[6] = sizeof(entry);
    entry[7] = 3;
    memcpy(entry + 12, &length, 4);
    memcpy(entry + 16, &at, 8);
    mend_checksum(entry, sizeof(entry), 5);
    fake_add(&memory, SMBIOS_AT, entry, sizeof(entry));
    fake_add(&memory, LIST_AT, structures, sizeof(structures));
    find(0, SMBIOS_AT);
    assert_int_equal(ranges.n, 1);
    expect(0, 0x300000, 0x3000);
}

TEST(more_than_there_is_room_for, NULL, tear_down)
{
    static uint64_t phys[TABLE_RANGES_MAX + 10];
    uint8_t *table;

    add_rsdp();
    for (size_t i = 0; i < TABLE_RANGES_MAX + 10; i++)
        phys[i] = 0x10000000 - i * 0x2000;
    add_list(phys, TABLE_RANGES_MAX + 10);
    table = calloc(1, sizeof(phys) / 8 * 0x2000);
    assert_non_null(table);
    for (size_t i = 0; i < TABLE_RANGES_MAX + 10; i++) {
        uint8_t *at = table + (sizeof(phys) / 8 - 1 - i) * 0x2000;

        make_header((void *)at, "SSDT", 1);
        seal_table(at, sizeof(struct acpi_header));
    }
    fake_add(&memory, phys[TABLE_RANGES_MAX + 9], table, sizeof(phys) / 8 * 0x2000);
    free(table);
    find(RSDP_AT, 0);
    assert_int_equal(ranges.n, TABLE_RANGES_MAX);
}
