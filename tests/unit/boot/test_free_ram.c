// SPDX-License-Identifier: MIT
#include "boot/multiboot2/stub/free_ram.h"

#include "tests/unit/unit.h"

#define PAGE UINT64_C(0x1000)

static struct {
    struct tag_memory_map head;
    struct memory_map_entry entry[64];
} map;

static struct free_ram free_ram;

static void begin(void)
{
    memset(&map, 0, sizeof(map));
    memset(&free_ram, 0, sizeof(free_ram));
    map.head.head.type = TAG_MEMORY_MAP;
    map.head.head.size = sizeof(map.head);
    map.head.entry_size = sizeof(map.entry[0]);
    free_ram.map = &map.head;
}

static void add(uint64_t base, uint64_t size, uint32_t type)
{
    map.entry[(map.head.head.size - sizeof(map.head)) / sizeof(map.entry[0])] =
        (struct memory_map_entry){ base, size, type, 0 };
    map.head.head.size += sizeof(map.entry[0]);
}

static void use(uint64_t base, uint64_t size)
{
    free_ram.used[free_ram.n_used++] = (struct span){ base, size };
}

/* A PC of 32 MiB as GRUB leaves it: image, boot information, module. */
static void pc(void)
{
    begin();
    add(0, 0x9fc00, 1);
    add(0x9fc00, 0x400, 2);
    add(0xf0000, 0x10000, 2);
    add(MIB, 31 * MIB - 0x20000, 1);
    add(32 * MIB - 0x20000, 0x20000, 2);
    use(MIB, 0x14e000);
    use(0x24f000, 0x52000);
    use(0x2a1008, 0x480);
}

TEST(behind_what_is_used)
{
    pc();
    assert_int_equal(free_ram_next(&free_ram, 0, 0x14e000), 0x2a2000);
    /* What is small enough goes in between. */
    assert_int_equal(free_ram_next(&free_ram, 0, PAGE), 0x24e000);
    assert_int_equal(free_ram_next(&free_ram, 0, 2 * PAGE), 0x2a2000);
    assert_int_equal(free_ram_next(&free_ram, 0x2a2000, PAGE), 0x2a2000);
    assert_int_equal(free_ram_next(&free_ram, 0x2a2001, PAGE), 0x2a3000);
}

TEST(to_the_last_byte)
{
    const uint64_t end = 32 * MIB - 0x20000, base = 0x2a2000;

    pc();
    assert_int_equal(free_ram_next(&free_ram, 0, end - base), base);
    assert_int_equal(free_ram_next(&free_ram, 0, end - base + PAGE), 0);
    assert_int_equal(free_ram_next(&free_ram, end - PAGE, PAGE), end - PAGE);
    assert_int_equal(free_ram_next(&free_ram, end - PAGE + 1, PAGE), 0);
    assert_int_equal(free_ram_next(&free_ram, end, PAGE), 0);
    assert_int_equal(free_ram_next(&free_ram, UINT64_MAX, PAGE), 0);
}

TEST(one_mib_and_4_gib)
{
    begin();
    add(0, 2 * MIB, 1);
    assert_int_equal(free_ram_next(&free_ram, 0, MIB), MIB);
    assert_int_equal(free_ram_next(&free_ram, 0, MIB + PAGE), 0);

    begin();
    add(4 * GIB - MIB, 2 * MIB, 1);
    add(5 * GIB, GIB, 1);
    assert_int_equal(free_ram_next(&free_ram, 0, MIB), 4 * GIB - MIB);
    assert_int_equal(free_ram_next(&free_ram, 0, MIB + PAGE), 0);
    assert_int_equal(free_ram_next(&free_ram, 4 * GIB, PAGE), 0);
}

/* Firmware's other entries win over what is available; the lowest place is taken in any order. */
TEST(overlapping_and_unsorted_entries)
{
    begin();
    add(64 * MIB, 64 * MIB, 1);
    add(16 * MIB, 32 * MIB, 1);
    add(16 * MIB, 16 * MIB, 5);
    add(90 * MIB, 10 * MIB, 2);
    assert_int_equal(free_ram_next(&free_ram, 0, 16 * MIB), 32 * MIB);
    assert_int_equal(free_ram_next(&free_ram, 0, 17 * MIB), 64 * MIB);
    assert_int_equal(free_ram_next(&free_ram, 64 * MIB + 1, 26 * MIB), 100 * MIB);
    assert_int_equal(free_ram_next(&free_ram, 0, 29 * MIB), 0);
}

TEST(maps_that_cannot_be)
{
    begin();
    assert_int_equal(free_ram_next(&free_ram, 0, PAGE), 0);
    add(UINT64_MAX - PAGE, 2 * PAGE, 1);
    add(MIB, UINT64_MAX, 1);
    add(2 * MIB, 0, 1);
    assert_int_equal(free_ram_next(&free_ram, 0, PAGE), 0);
    add(2 * MIB + 1, 2 * PAGE, 1);
    assert_int_equal(free_ram_next(&free_ram, 0, PAGE), 2 * MIB + PAGE);
    add(MIB, UINT64_MAX - MIB, 2);
    assert_int_equal(free_ram_next(&free_ram, 0, PAGE), 0);
    for (uint32_t size = 0; size < sizeof(map.entry[0]); size++) {
        pc();
        map.head.entry_size = size;
        assert_int_equal(free_ram_next(&free_ram, 0, PAGE), 0);
    }
}

static bool is_free(uint64_t page)
{
    bool available = false;

    for (size_t i = 0; i < (map.head.head.size - sizeof(map.head)) / sizeof(map.entry[0]); i++) {
        struct memory_map_entry e = map.entry[i];

        if (page + PAGE > e.base && page < e.base + e.size && e.type != 1)
            return false;
        available |= e.type == 1 && page >= e.base && page + PAGE <= e.base + e.size;
    }
    for (uint32_t i = 0; i < free_ram.n_used; i++) {
        if (page + PAGE > free_ram.used[i].base && page < span_end(free_ram.used[i]))
            return false;
    }
    return available;
}

/* Against page by page, where available entries do not adjoin. */
TEST(random_maps)
{
    srand(14);
    for (int round = 0; round < 3000; round++) {
        uint64_t size = (uint64_t)(rand() % 20 + 1) * PAGE, from = MIB + (uint64_t)(rand() % 99999);
        uint64_t want = 0, run = 0;

        begin();
        for (uint64_t at = MIB; at < 2 * MIB; at += (uint64_t)(rand() % 40 + 41) * PAGE)
            add(at + (uint64_t)(rand() % 3 * 100), (uint64_t)(rand() % 40 + 1) * PAGE, 1);
        for (int n = rand() % 5; n; n--)
            add(MIB + (uint64_t)(rand() % 300 * 4000), (uint64_t)(rand() % 9999), 2);
        for (int n = rand() % 5; n; n--)
            use(MIB + (uint64_t)(rand() % 300 * 4000), (uint64_t)(rand() % 9999));
        for (uint64_t page = (from + PAGE - 1) & -PAGE; page < 3 * MIB && !want; page += PAGE) {
            run = is_free(page) ? run + PAGE : 0;
            if (run == size)
                want = page + PAGE - size;
        }
        assert_int_equal(free_ram_next(&free_ram, from, size), want);
    }
}
