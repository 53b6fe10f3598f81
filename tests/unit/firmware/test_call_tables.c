// SPDX-License-Identifier: MIT
#include "firmware/call_tables.h"

#include "tests/unit/unit.h"

#define PRESENT 1u
#define WRITE   2u
#define LARGE   0x80u
#define ADDRESS UINT64_C(0x000ffffffffff000)

#define PAGES_MAX  64
#define TABLE_BASE UINT64_C(0x7700000000) /* where the test says that its pages are */

static uint64_t page[PAGES_MAX][CALL_TABLES_ENTRIES];
static struct span hidden_span[64];

static uint64_t address_of(const void *at)
{
    return TABLE_BASE + (uint64_t)((const char *)at - (const char *)page);
}

static const uint64_t *table_at(uint64_t address)
{
    assert_in_range(address, TABLE_BASE, TABLE_BASE + sizeof(page) - 1);
    return page[(address - TABLE_BASE) / PAGE_SIZE];
}

static bool is_shown(uint64_t table, uint64_t phys)
{
    for (unsigned level = 3; level; level--) {
        unsigned shift = 12 + 9 * (level - 1);
        uint64_t entry = table_at(table)[phys >> shift & 511];

        if (!(entry & PRESENT))
            return false;
        assert_true(entry & WRITE);
        if (level == 1 || entry & LARGE) {
            assert_int_equal((entry & ADDRESS & ~((UINT64_C(1) << shift) - 1)) |
                                 (phys & ((UINT64_C(1) << shift) - 1)),
                             phys);
            return true;
        }
        table = entry & ADDRESS;
    }
    return false;
}

/* A PC with 3 GiB, and one more above 4 GiB. */
static const struct memory_map map = {
    .n_regions = 13,
    .region = {
        { { 0, 0xa0000 }, BOOT_REGION_USABLE },
        { { 0x100000, 0x700000 }, BOOT_REGION_USABLE },
        { { 0x800000, 0x8000 }, BOOT_REGION_ACPI_NVS },
        { { 0x808000, 0x10000000 - 0x808000 }, BOOT_REGION_USABLE },
        { { 0x10000000, 64 * MIB }, BOOT_REGION_PERSISTENT },
        { { 0x14000000, 0xb0001000 - 0x14000000 }, BOOT_REGION_USABLE },
        { { 0xb0001000, 0x3000 }, BOOT_REGION_RUNTIME },
        { { 0xb0004000, 0x2000 }, BOOT_REGION_ACPI_RECLAIM },
        { { 0xb0006000, 0x1000 }, BOOT_REGION_BAD },
        { { 0xb0007800, 0x800 }, BOOT_REGION_RESERVED },
        { { 0xb0008000, 0x800 }, BOOT_REGION_SPECIFIC },
        { { 0xff000000, 0x1000000 }, BOOT_REGION_MMIO },
        { { 4 * GIB, GIB }, BOOT_REGION_USABLE },
    },
};

static struct span shown_span[] = { { 0, PAGE_SIZE }, { 0x900000, PAGE_SIZE } };
static const struct spans shown = { .span = shown_span, .n = COUNT(shown_span) };

static struct call_tables made(bool has_1g, bool acpi_is_tested)
{
    struct call_tables t = {
        .hidden = { .span = hidden_span, .max = SPANS_CUT_MAX(map.n_regions, shown.n) },
        .has_1g = has_1g,
        .page = page,
        .address_of = address_of,
    };

    call_tables_hide(&map, acpi_is_tested, &shown, &t.hidden);
    t.n_pages = call_tables_count(&t);
    assert_in_range(t.n_pages, 1, PAGES_MAX);
    memset(page, 0xff, sizeof(page));
    return t;
}

static const struct {
    uint64_t base;
    bool shown;
} at[] = {
    { 0, true },                                                     /* page 0 */
    { 0x1000, false },     { 0x9f000, false },    { 0xa0000, true }, /* not in the map */
    { 0xff000, true },     { 0x100000, false },   { 0x7ff000, false },
    { 0x800000, true }, /* ACPI NVS */
    { 0x807000, true },    { 0x808000, false },   { 0x8ff000, false },
    { 0x900000, true },                           /* okram's page for the services */
    { 0x901000, false },   { 0x10000000, false }, /* persistent */
    { 0x13fff000, false }, { 0x14000000, false }, { 0xb0000000, false },
    { 0xb0001000, true },                        /* runtime services */
    { 0xb0003000, true },  { 0xb0005000, true }, /* ACPI tables */
    { 0xb0006000, false },                       /* bad */
    { 0xb0007000, true },                        /* not in the map, then reserved */
    { 0xb0008000, true },                        /* half of it is not in the map */
    { 0xb0009000, true },  { 0xc0000000, true },  { 0xff000000, true },
    { 0xfffff000, true },
};

static const struct {
    uint64_t base;
    bool shown;
} above[] = {
    { 4 * GIB, false },
    { 5 * GIB - PAGE_SIZE, false },
    { 5 * GIB, true },
    { 511 * GIB, true },
};

TEST(shows_what_firmware_keeps)
{
    for (unsigned i = 0; i < 2; i++) {
        struct call_tables t = made(i, false);
        uint64_t table = call_tables_make(&t);

        for (size_t k = 0; k < COUNT(at); k++) {
            if (is_shown(table, at[k].base) != at[k].shown ||
                is_shown(table, at[k].base + 0xfff) != at[k].shown)
                fail_msg("0x%lx", at[k].base);
        }
        for (size_t k = 0; k < COUNT(above); k++)
            assert_int_equal(is_shown(table, above[k].base), i && above[k].shown);
        assert_int_equal(call_tables_limit(&t), i ? 512 * GIB : 4 * GIB);
    }
}

TEST(uses_as_many_pages_as_it_says)
{
    static const struct {
        bool has_1g;
        size_t pages;
    } cases[] = { { true, 1 + 2 + 3 }, { false, 1 + 3 + 3 } };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct call_tables t = made(cases[i].has_1g, false);

        assert_int_equal(t.n_pages, cases[i].pages);
        call_tables_make(&t);
        for (size_t k = 0; k < PAGES_MAX; k++)
            assert_int_equal(page[k][0] == UINT64_MAX, k >= t.n_pages);
    }
}

TEST(hides_acpi_tables_that_are_tested)
{
    struct call_tables t = made(true, true);
    uint64_t table = call_tables_make(&t);

    assert_true(is_shown(table, 0xb0003000));
    assert_false(is_shown(table, 0xb0004000));
    assert_false(is_shown(table, 0xb0005000));
    assert_true(is_shown(table, 0x800000));
}

/* What has no table of its own is shown as a whole. */
TEST(does_with_fewer_pages)
{
    struct call_tables t = made(true, false);
    uint64_t table;

    t.n_pages = 2;
    table = call_tables_make(&t);
    assert_true(is_shown(table, 0x1000) && is_shown(table, 0xb0003000));
    assert_false(is_shown(table, 0x200000));
    assert_int_equal(page[2][0], UINT64_MAX);

    t = made(false, false); /* there is no page of 1 GiB */
    t.n_pages = 2;
    table = call_tables_make(&t);
    assert_true(is_shown(table, 0x1000));
    assert_false(is_shown(table, 0xb0003000) || is_shown(table, 0xff000000));
}

TEST(without_a_map)
{
    static const struct memory_map none;
    struct call_tables t = { .has_1g = true, .page = page, .address_of = address_of };

    call_tables_hide(&none, true, &shown, &t.hidden);
    assert_int_equal(t.hidden.n, 0);
    t.n_pages = call_tables_count(&t);
    assert_int_equal(t.n_pages, 1);
    assert_true(is_shown(call_tables_make(&t), 512 * GIB - 1));
}
