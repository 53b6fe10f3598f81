// SPDX-License-Identifier: MIT
#include "acpi/non_ram_ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MIB UINT64_C(0x100000)
#define GIB UINT64_C(0x40000000)

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

static void lists_what_is_no_ram(void **state)
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

static void lists_empty_ranges_of_the_srat(void **state)
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

static void needs_no_srat(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_what_is_no_ram),
        cmocka_unit_test(lists_empty_ranges_of_the_srat),
        cmocka_unit_test(needs_no_srat),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
