// SPDX-License-Identifier: MIT
#include "findings/unseen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MIB      (UINT64_C(1) << 20)
#define GIB      (UINT64_C(1) << 30)

#define DDR4   0x1a
#define LPDDR5 0x23

static struct smbios_memory memory;

static void add_slot(uint64_t bytes, uint8_t type)
{
    memory.slot[memory.n_slot++] = (struct smbios_slot){
        .memory_type = type,
        .is_populated = bytes != 0,
        .is_ordinary = true,
        .size_bytes = bytes,
    };
    memory.slots++;
    memory.populated += bytes != 0;
    memory.installed_bytes += bytes;
}

/* Sizes in GiB, up to a 0; and an empty slot. */
static void install(const uint8_t gib[9], uint8_t type)
{
    memset(&memory, 0, sizeof(memory));
    for (size_t i = 0; gib[i]; i++)
        add_slot(gib[i] * GIB, type);
    add_slot(0, 0);
}

static void by_what_is_missing(void **state)
{
    static const struct {
        uint8_t gib[9];
        uint64_t missing;
        uint32_t modules;
        bool at_least, may_be_mirrored;
    } cases[] = {
        /* what firmware and graphics keep */
        { { 16, 16, 16, 16 }, 0, 0, false, false },
        { { 16, 16, 16, 16 }, 300 * MIB, 0, false, false },
        { { 16, 16, 16, 16 }, 8 * GIB, 0, false, false },
        { { 16, 16, 16, 16 }, 16 * GIB - 1, 0, false, false },
        { { 1, 1, 1, 1 }, GIB, 0, false, false },
        { { 8 }, 2 * GIB, 0, false, false },
        /* modules */
        { { 16, 16, 16, 16 }, 16 * GIB, 1, false, false },
        { { 16, 16, 16, 16 }, 16 * GIB + 300 * MIB, 1, false, false },
        { { 16, 16, 16, 16 }, 48 * GIB + 300 * MIB, 3, false, false },
        { { 1, 1, 1, 1 }, GIB + 100 * MIB, 1, false, false },
        { { 16, 32, 32 }, 32 * GIB + 300 * MIB, 1, true, false },
        { { 16, 32, 32 }, 16 * GIB + 300 * MIB, 1, true, false },
        { { 16, 32, 32 }, 15 * GIB, 0, false, false },
        /* or a mirror */
        { { 16, 16, 16, 16 }, 32 * GIB, 2, false, true },
        { { 16, 16, 16, 16 }, 32 * GIB + 2 * GIB, 2, false, true },
        { { 16, 16, 16, 16 }, 32 * GIB + 4 * GIB, 2, false, false },
        { { 8, 8 }, 8 * GIB + 200 * MIB, 1, false, true },
        { { 8, 16 }, 12 * GIB, 1, true, false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct unseen unseen;

        install(cases[i].gib, DDR4);
        unseen = unseen_find(&memory, memory.installed_bytes - cases[i].missing);
        assert_int_equal(unseen.modules, cases[i].modules);
        assert_int_equal(unseen.of, cases[i].modules ? memory.populated : 0);
        assert_int_equal(unseen.at_least, cases[i].at_least);
        assert_int_equal(unseen.may_be_mirrored, cases[i].may_be_mirrored);
    }
}

/* An APU with 16 of 32 GiB for graphics, and windows of devices. */
static void what_graphics_has_is_present(void **state)
{
    static struct memory_map map = {
        .n_regions = 5,
        .region = {
            { { 0, 3 * GIB }, BOOT_REGION_USABLE },
            { { 3 * GIB, 512 * MIB }, BOOT_REGION_RESERVED },
            { { 4 * GIB, 13 * GIB }, BOOT_REGION_USABLE },
            { { 17 * GIB, 16 * GIB }, BOOT_REGION_RESERVED },
            { { 1000 * GIB, 12 * GIB }, BOOT_REGION_RESERVED },
        },
    };
    static const uint8_t gib[9] = { 16, 16 };

    assert_int_equal(unseen_present_bytes(&map, 16 * GIB), 32 * GIB);
    install(gib, DDR4);
    assert_int_equal(unseen_find(&memory, 16 * GIB).modules, 1);
    assert_int_equal(unseen_find(&memory, unseen_present_bytes(&map, 16 * GIB)).modules, 0);
    map.region[3].span.size = GIB - 1;
    assert_int_equal(unseen_present_bytes(&map, 16 * GIB), 16 * GIB);
    map.region[2] = (struct memory_region){ { 4 * GIB, GIB }, BOOT_REGION_RESERVED };
    map.region[3] = (struct memory_region){ { 5 * GIB, 13 * GIB }, BOOT_REGION_USABLE };
    assert_int_equal(unseen_present_bytes(&map, 16 * GIB), 17 * GIB);
}

/* What was in the lists once, after their ends. */
static void nothing_is_read_after_the_end(void **state)
{
    static struct memory_map map = {
        .n_regions = 2,
        .region = {
            { { 0, GIB }, BOOT_REGION_RESERVED },
            { { GIB, 16 * GIB }, BOOT_REGION_RESERVED },
            { { 17 * GIB, GIB }, BOOT_REGION_USABLE },
        },
    };
    static const uint8_t gib[9] = { 16, 16, 16, 16 };

    assert_int_equal(unseen_present_bytes(&map, GIB), GIB);
    install(gib, DDR4);
    memory.slot[memory.n_slot] = (struct smbios_slot){ .is_populated = true };
    assert_int_equal(unseen_find(&memory, 48 * GIB).modules, 1);
}

static void is_silent_where_nothing_is_known(void **state)
{
    static const uint8_t gib[9] = { 16, 16, 16, 16 };

    assert_int_equal(unseen_find(NULL, GIB).modules, 0);
    memset(&memory, 0, sizeof(memory));
    assert_int_equal(unseen_find(&memory, GIB).modules, 0);

    install(gib, DDR4);
    assert_int_equal(unseen_find(&memory, 80 * GIB).modules, 0); /* more than is listed */
    assert_int_equal(unseen_find(&memory, 48 * GIB).modules, 1);
    memory.slot[2].is_ordinary = false; /* persistent, or on a CXL card */
    assert_int_equal(unseen_find(&memory, 48 * GIB).modules, 0);

    install(gib, DDR4);
    memory.slot[4].is_populated = true; /* of unknown size */
    memory.populated++;
    memory.unknown++;
    assert_int_equal(unseen_find(&memory, 48 * GIB).modules, 0);

    install(gib, DDR4);
    memory.slots++; /* more slots than are kept */
    assert_int_equal(unseen_find(&memory, 48 * GIB).modules, 0);

    install(gib, LPDDR5); /* soldered: graphics may have most of it */
    assert_int_equal(unseen_find(&memory, 16 * GIB).modules, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_what_is_missing),
        cmocka_unit_test(what_graphics_has_is_present),
        cmocka_unit_test(nothing_is_read_after_the_end),
        cmocka_unit_test(is_silent_where_nothing_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
