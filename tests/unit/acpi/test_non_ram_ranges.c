// SPDX-License-Identifier: MIT
#include "acpi/non_ram_ranges.h"

#include "firmware/builder.h"
#include "firmware/damage.h"
#include "firmware/fake.h"
#include "tests/unit/unit.h"

static struct builder b;

static struct memory_map map = {
    .n_regions = 6,
    .region = {
        { { 0, MIB }, BOOT_REGION_USABLE },
        { { MIB, GIB - MIB }, BOOT_REGION_SPECIFIC },
        { { 2 * GIB, GIB }, BOOT_REGION_PERSISTENT },
        { { 3 * GIB, MIB }, BOOT_REGION_RESERVED },
        { { 4 * GIB, GIB }, BOOT_REGION_UNACCEPTED },
        { { 8 * GIB, GIB }, BOOT_REGION_ACPI_NVS },
    },
};

static struct srat srat = {
    .n_memory = 6,
    .memory = {
        { { 0, GIB }, 0 },
        { { 2 * GIB, 2 * GIB }, 0 },       /* persistent memory, and something reserved */
        { { 4 * GIB, 2 * GIB }, 0 },       /* partly empty: a usual range */
        { { 6 * GIB, 2 * GIB }, 1 },       /* empty */
        { { 9 * GIB - 1, GIB }, 1 },       /* its first byte is RAM */
        { { 64 * GIB, 1024 * GIB }, 2 },   /* empty */
    },
};

static struct cedt cedt = {
    .n = 3,
    .window = {
        { 32 * GIB, GIB },   /* empty */
        { 0, 2 * GIB },      /* set up, in part */
        { 100 * GIB, GIB },  /* empty, and in the SRAT, too */
    },
};

TEST(lists_what_is_no_ram)
{
    static const struct {
        uint64_t base;
        const char *why;
    } expected[] = {
        { 2 * GIB, "persistent memory: its data are left alone" },
        { 4 * GIB, "unaccepted memory: not accepted from the host (confidential guest)" },
        { 32 * GIB, "no memory there: a window for CXL memory" },
        { 100 * GIB, "no memory there: a window for CXL memory" },
        { 6 * GIB, "no memory there: a range for hot-plug" },
    };
    const struct memory_tables tables = { &map, &cedt, &srat };
    struct other_memory other;
    size_t at = 0;

    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_true(non_ram_ranges_next(&tables, &at, &other));
        assert_int_equal(other.span.base, expected[i].base);
        assert_string_equal(other.why, expected[i].why);
    }
    assert_false(non_ram_ranges_next(&tables, &at, &other));
    assert_int_equal(non_ram_ranges_max(&tables), 15);
}

TEST(lists_empty_ranges_of_the_srat)
{
    const struct memory_tables tables = { &map, NULL, &srat };
    struct other_memory other;
    size_t at = map.n_regions;

    assert_true(non_ram_ranges_next(&tables, &at, &other));
    assert_int_equal(other.span.base, 6 * GIB);
    assert_true(non_ram_ranges_next(&tables, &at, &other));
    assert_int_equal(other.span.base, 64 * GIB);
    assert_false(non_ram_ranges_next(&tables, &at, &other));
}

TEST(needs_no_srat)
{
    struct memory_map none = { 0 };
    const struct memory_tables nothing = { .map = &none }, only_map = { .map = &map };
    struct other_memory other;
    size_t at = 0;

    assert_false(non_ram_ranges_next(&nothing, &at, &other));
    assert_true(non_ram_ranges_next(&only_map, &at, &other));
    assert_true(non_ram_ranges_next(&only_map, &at, &other));
    assert_false(non_ram_ranges_next(&only_map, &at, &other));
}

static struct cedt read_cedt;

static enum status read_built(void)
{
    memset(&read_cedt, 0xaa, sizeof(read_cedt));
    return READ_TABLE(cedt_read, builder_table(&b), &read_cedt);
}

/* CXL 3.1, 9.18.1.3, with two host bridges. */
static void add_window(uint64_t base, uint64_t size)
{
    uint8_t e[44] = { 1, 0, 44, 0 };

    memcpy(e + 8, &base, 8);
    memcpy(e + 16, &size, 8);
    builder_add(&b, e, sizeof(e));
}

TEST(reads_windows)
{
    static const uint8_t empty[4] = { 9, 0, 4, 0 }, host_bridge[32] = { 0, 0, 32, 0, 7 };
    builder_begin(&b, "CEDT", 1, 36);
    builder_add(&b, empty, sizeof(empty));
    builder_add(&b, host_bridge, sizeof(host_bridge));
    add_window(64 * GIB, 16 * GIB);
    add_window(0 - 4 * GIB, 4 * GIB); /* up to the end of the address space */
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(read_cedt.n, 2);
    assert_int_equal(read_cedt.window[0].base, 64 * GIB);
    assert_int_equal(read_cedt.window[0].size, 16 * GIB);
    assert_int_equal(read_cedt.window[1].base, 0 - 4 * GIB);
}

TEST(leaves_out_what_is_wrong)
{
    static const uint8_t is_short[16] = { 1, 0, 16, 0 };
    builder_begin(&b, "CEDT", 1, 36);
    builder_add(&b, is_short, sizeof(is_short));
    add_window(GIB, 0);
    add_window(0 - GIB, 2 * GIB);
    add_window(GIB, GIB);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(read_cedt.n, 1);
    assert_warned(&log_, 1, "CEDT: malformed memory windows, ignored: 3");
}

TEST(stops_at_an_impossible_length)
{
    static const uint8_t no_length[8] = { 1 };
    builder_begin(&b, "CEDT", 1, 36);
    add_window(GIB, GIB);
    builder_add(&b, no_length, sizeof(no_length));
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(read_cedt.n, 1);
    assert_warned(&log_, 1, "CEDT: a structure has an impossible length; bytes not read: 8");
}

TEST(lists_64_windows)
{
    builder_begin(&b, "CEDT", 1, 36);
    for (uint64_t i = 0; i < CEDT_WINDOWS_MAX + 2; i++)
        add_window(i * GIB, GIB);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(read_cedt.n, CEDT_WINDOWS_MAX);
    assert_warned(&log_, 1, "CEDT: memory windows beyond the first 64, not listed: 2");
}

#define MBFT_MIB  (UINT64_C(1) << 20)
#define FREE_KIB  637u
#define BASE_END  0xa0000u
#define LENGTH    70u /* of version 3.71 and later: 36 + 4 + 30 */
#define LENGTH_AT 4u
#define SUM_AT    9u
#define INFO_AT   40u

static struct fake_memory memory;
static uint8_t *base; /* from the end of what is free to the end of base memory */

static int set_up(void **state)
{
    static const uint8_t free_kib[] = { FREE_KIB & 0xff, FREE_KIB >> 8 };
    static uint8_t none[BASE_END - (FREE_KIB << 10)];

    fake_add(&memory, 0x413, free_kib, sizeof(free_kib));
    base = fake_add(&memory, FREE_KIB << 10, none, sizeof(none));
    return 0;
}

static int tear_down(void **state)
{
    fake_free(&memory);
    return 0;
}

static void seal(uint8_t *table, size_t n)
{
    uint8_t sum = 0;

    table[SUM_AT] = 0;
    for (size_t i = 0; i < n; i++)
        sum = (uint8_t)(sum + table[i]);
    table[SUM_AT] = (uint8_t)-sum;
}

/* A table of memdisk 6.04. */
static uint8_t *put(size_t offset, uint32_t address, uint32_t sectors)
{
    uint8_t *t = base + offset;

    memcpy(t, "mBFT", 4);
    t[LENGTH_AT] = LENGTH;
    t[INFO_AT] = LENGTH - INFO_AT;
    t[INFO_AT + 2] = 4;
    t[INFO_AT + 3] = 6;
    memcpy(t + INFO_AT + 4, &address, 4);
    memcpy(t + INFO_AT + 8, &sectors, 4);
    seal(t, LENGTH);
    return t;
}

/* The addresses in MiB, a blank after each. */
static const char *found(void)
{
    static char text[128];
    struct phys_reader reader = fake_reader(&memory);
    uint64_t at = 0, disk;

    text[0] = 0;
    while (mbft_next(&reader, &at, &disk))
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%llu ",
                 (unsigned long long)(disk / MBFT_MIB));
    assert_false(mbft_next(&reader, &at, &disk));
    return text;
}

TEST(each_disk_in_its_place, set_up, tear_down)
{
    size_t last = BASE_END - (FREE_KIB << 10) - LENGTH;

    assert_string_equal(found(), "");
    put(0x120, 206 << 20, 49 << 11);
    assert_string_equal(found(), "206 ");
    put(0, 4095u << 20, UINT32_MAX);
    assert_string_equal(found(), "4095 206 ");
    put((last & ~(size_t)15), 1 << 20, 1 << 11);
    assert_string_equal(found(), "4095 206 1 ");
}

TEST(what_is_damaged_is_not_a_table, set_up, tear_down)
{
    uint8_t *t = put(0x120, 206 << 20, 49 << 11);

    for (size_t i = 0; i < LENGTH; i++) {
        t[i] ^= 0x10;
        assert_string_equal(found(), "");
        t[i] ^= 0x10;
    }
    assert_string_equal(found(), "206 ");
    put(0x120 + 8, 1 << 20, 1 << 11); /* not at the start of a paragraph, and over the first */
    assert_string_equal(found(), "");
}

TEST(lengths, set_up, tear_down)
{
    static const struct {
        uint8_t length, info;
        bool is_good;
    } cases[] = {
        { 66, 26, true },  { 67, 27, true },  { 65, 25, false },  { 70, 26, false },
        { 66, 30, false }, { 0, 216, false }, { 255, 215, true },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t *t = put(0x120, 206 << 20, 49 << 11);

        t[LENGTH_AT] = cases[i].length;
        t[INFO_AT] = cases[i].info;
        seal(t, cases[i].length > SUM_AT ? cases[i].length : LENGTH);
        assert_string_equal(found(), cases[i].is_good ? "206 " : "");
    }
}

/* One that claims to go on past base memory, or is not readable there. */
TEST(beyond_base_memory, set_up, tear_down)
{
    size_t last = (BASE_END - (FREE_KIB << 10) - 66) & ~(size_t)15;
    uint8_t *t = put(last - 16, 206 << 20, 49 << 11);

    assert_string_equal(found(), "206 ");
    t[LENGTH_AT] = 200;
    t[INFO_AT] = 160;
    seal(t, 66);
    assert_string_equal(found(), "");
}

/* What the BIOS says of base memory. */
TEST(no_base_memory, set_up, tear_down)
{
    static const uint16_t kib[] = { 0, 63, 640, 0xffff };

    put(0, 206 << 20, 49 << 11);
    for (size_t i = 0; i < sizeof(kib) / sizeof(kib[0]); i++) {
        memcpy(memory.piece[0].bytes, &kib[i], 2);
        assert_string_equal(found(), "");
    }
    fake_free(&memory);
    assert_string_equal(found(), ""); /* nothing is readable */
}
