// SPDX-License-Identifier: MIT
#include "firmware/hidden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define PAGES(n) ((uint64_t)(n) << PAGE_SHIFT)
#define MIB      (UINT64_C(1) << 20)

static struct memory_map map;

static void add(uint64_t base, uint64_t end, enum boot_region_kind kind)
{
    map.region[map.n_regions++] = (struct memory_region){ { base, end - base }, kind };
}

static int start(void **state)
{
    memset(&map, 0, sizeof(map));
    return 0;
}

static void assert_hidden(enum hidden_kind kind, const struct span *wanted, size_t n)
{
    struct span found = { 1, 1 };
    uint64_t pages = 0;
    size_t at = 0;

    for (size_t i = 0; i < n; i++) {
        assert_true(hidden_next(&map, kind, &at, &found));
        assert_int_equal(found.base, wanted[i].base);
        assert_int_equal(found.size, wanted[i].size);
        pages += wanted[i].size >> PAGE_SHIFT;
    }
    found = (struct span){ 1, 1 };
    assert_false(hidden_next(&map, kind, &at, &found));
    assert_int_equal(found.base, 1);
    assert_int_equal(hidden_pages(&map, kind), pages);
}

static void unusable_pages_between_ram(void **state)
{
    static const struct span wanted[] = { { 2 * MIB, PAGES(1) },
                                          { 4 * MIB, 16 * MIB },
                                          { 32 * MIB, PAGES(1) } };

    add(0, 2 * MIB, BOOT_REGION_USABLE);
    add(2 * MIB, 2 * MIB + PAGES(1), BOOT_REGION_BAD);
    add(2 * MIB + PAGES(1), 4 * MIB, BOOT_REGION_RUNTIME); /* firmware's RAM */
    add(4 * MIB, 20 * MIB, BOOT_REGION_BAD);
    add(20 * MIB, 32 * MIB + 100, BOOT_REGION_USABLE);
    add(32 * MIB + 100, 32 * MIB + 200, BOOT_REGION_BAD); /* whole pages */
    add(32 * MIB + 200, 64 * MIB, BOOT_REGION_USABLE);
    assert_hidden(HIDDEN_UNUSABLE, wanted, 3);
    assert_hidden(HIDDEN_HOLE, NULL, 0);
}

/* coreboot has the graphics' memory so. */
static void much_at_an_end_of_ram_is_firmwares(void **state)
{
    struct span few = { 2 * MIB, PAGES(256) };

    add(0, 2 * MIB, BOOT_REGION_USABLE);
    add(2 * MIB, 2 * MIB + PAGES(257), BOOT_REGION_BAD);
    assert_hidden(HIDDEN_UNUSABLE, NULL, 0);
    map.region[1].span.size = PAGES(256);
    assert_hidden(HIDDEN_UNUSABLE, &few, 1);
    map.region[1].span.base += PAGES(1); /* beside nothing */
    assert_hidden(HIDDEN_UNUSABLE, NULL, 0);
    map.region[0] = (struct memory_region){ { 0, 2 * MIB + PAGES(1) }, BOOT_REGION_RESERVED };
    assert_hidden(HIDDEN_UNUSABLE, NULL, 0);
    add(3 * MIB + PAGES(1), 8 * MIB, BOOT_REGION_USABLE);
    few.base += PAGES(1);
    assert_hidden(HIDDEN_UNUSABLE, &few, 1);
}

static void holes_in_ram(void **state)
{
    static const struct {
        uint64_t base, end;
        enum boot_region_kind below, above;
        bool is_hole;
    } cases[] = {
        { 32 * MIB, 32 * MIB + PAGES(1), BOOT_REGION_USABLE, BOOT_REGION_USABLE, true },
        { 32 * MIB, 32 * MIB + PAGES(255), BOOT_REGION_USABLE, BOOT_REGION_USABLE, true },
        { 32 * MIB, 32 * MIB + PAGES(256), BOOT_REGION_USABLE, BOOT_REGION_USABLE, false },
        { 15 * MIB, 16 * MIB, BOOT_REGION_USABLE, BOOT_REGION_USABLE, false }, /* ISA cards */
        { 32 * MIB, 32 * MIB, BOOT_REGION_USABLE, BOOT_REGION_USABLE, false },
        { 32 * MIB + 1, 33 * MIB, BOOT_REGION_USABLE, BOOT_REGION_USABLE, false },
        { 32 * MIB, 32 * MIB + 100, BOOT_REGION_USABLE, BOOT_REGION_USABLE, false },
        { 32 * MIB, 32 * MIB + PAGES(1), BOOT_REGION_ACPI_NVS, BOOT_REGION_USABLE, false },
        { 32 * MIB, 32 * MIB + PAGES(1), BOOT_REGION_USABLE, BOOT_REGION_RESERVED, false },
        { 0x9e000, 0x9f000, BOOT_REGION_USABLE, BOOT_REGION_USABLE, true },
        { 0xa0000, 0x100000, BOOT_REGION_USABLE, BOOT_REGION_USABLE, false },
        { 0xff000, 0x100000, BOOT_REGION_USABLE, BOOT_REGION_USABLE, false },
        { 0x100000, 0x101000, BOOT_REGION_USABLE, BOOT_REGION_USABLE, true },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct span hole = { cases[i].base, cases[i].end - cases[i].base };

        start(NULL);
        add(0, cases[i].base, cases[i].below);
        add(cases[i].end, 64 * MIB, cases[i].above);
        assert_hidden(HIDDEN_HOLE, &hole, cases[i].is_hole);
        assert_hidden(HIDDEN_UNUSABLE, NULL, 0);
    }
}

/* Behind the map's end are regions that it once had. */
static void nothing_is_read_after_the_end(void **state)
{
    add(0, 2 * MIB, BOOT_REGION_USABLE);
    add(2 * MIB, 4 * MIB, BOOT_REGION_BAD);
    add(4 * MIB, 8 * MIB, BOOT_REGION_USABLE);
    add(8 * MIB + PAGES(1), 9 * MIB, BOOT_REGION_USABLE);
    map.n_regions = 2;
    assert_hidden(HIDDEN_UNUSABLE, NULL, 0);
    map.n_regions = 3;
    assert_hidden(HIDDEN_HOLE, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(unusable_pages_between_ram, start),
        cmocka_unit_test_setup(much_at_an_end_of_ram_is_firmwares, start),
        cmocka_unit_test_setup(holes_in_ram, start),
        cmocka_unit_test_setup(nothing_is_read_after_the_end, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
