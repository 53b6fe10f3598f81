// SPDX-License-Identifier: MIT
#include "fake.h"
#include "firmware/memory_map.h"
#include "tests/unit/unit.h"

#define USABLE     BOOT_REGION_USABLE
#define ACPI       BOOT_REGION_ACPI_RECLAIM
#define NVS        BOOT_REGION_ACPI_NVS
#define RUNTIME    BOOT_REGION_RUNTIME
#define RESERVED   BOOT_REGION_RESERVED
#define BAD        BOOT_REGION_BAD
#define MMIO       BOOT_REGION_MMIO
#define PERSISTENT BOOT_REGION_PERSISTENT
#define SPECIFIC   BOOT_REGION_SPECIFIC
#define UNACCEPTED BOOT_REGION_UNACCEPTED

static struct memory_map map;

/* From a copy of its exact size. */
static void make(const struct boot_region *given, size_t n, uint64_t lost, unsigned bits)
{
    struct warnings warnings = fresh_warnings();
    struct boot_region *copy = malloc(n ? n * sizeof(*given) : 1);

    memset(&map, 0xaa, sizeof(map));
    memcpy(copy, given, n * sizeof(*given));
    memory_map_make(&(struct given_map){ copy, n, lost, bits }, &warnings, &map);
    free(copy);
}

static void assert_region(size_t i, uint64_t base, uint64_t size, enum boot_region_kind kind)
{
    assert_true(i < map.n_regions);
    assert_int_equal(map.region[i].span.base, base);
    assert_int_equal(map.region[i].span.size, size);
    assert_int_equal(map.region[i].kind, kind);
}

TEST(keeps_a_clean_map)
{
    static const struct boot_region given[] = {
        { 0, 0x9fc00, USABLE, 1 },         { 0x9fc00, 0x400, RESERVED, 2 },
        { 0xf0000, 0x10000, RESERVED, 2 }, { 0x100000, 0x100000, USABLE, 1 },
        { 0x200000, 0x100000, USABLE, 1 }, /* UEFI has many neighbours of one kind */
        { 0x300000, 0x1000, ACPI, 3 },     { 4 * GIB, 4 * GIB, USABLE, 1 },
    };

    make(given, 7, 0, 36);
    assert_int_equal(log_.n, 0);
    assert_int_equal(map.n_regions, 6);
    assert_region(0, 0, 0x9fc00, USABLE);
    assert_region(1, 0x9fc00, 0x400, RESERVED);
    assert_region(2, 0xf0000, 0x10000, RESERVED); /* a gap stays a gap */
    assert_region(3, 0x100000, 0x200000, USABLE);
    assert_region(4, 0x300000, 0x1000, ACPI);
    assert_region(5, 4 * GIB, 4 * GIB, USABLE);

    make(given, 0, 0, 36);
    assert_int_equal(map.n_regions, 0);
    assert_int_equal(log_.n, 0);
}

static void assert_entries(const struct boot_region *given, size_t n, const struct span *expected,
                           size_t n_expected)
{
    struct span *entry = malloc(MEMORY_ENTRIES_MAX(n) * sizeof(*entry));

    make(given, n, 0, 40);
    assert_int_equal(memory_map_entries(&map, given, n, entry), n_expected);
    for (size_t i = 0; i < n_expected; i++) {
        assert_int_equal(entry[i].base, expected[i].base);
        assert_int_equal(entry[i].size, expected[i].size);
    }
    free(entry);
}

/* What is RAM for certain has one name; RESERVED stands for several. */
TEST(tells_the_entries_of_firmware_apart)
{
    static const struct boot_region given[] = {
        { 0x100000, 0x100000, USABLE, 1 },    { 0x200000, 0x100000, USABLE, 1 },
        { 0x300000, 0x1000, ACPI, 3 },        { 0x301000, 0x1000, ACPI, 3 },
        { 0x302000, 0x1000, NVS, 4 },         { 0x303000, 0x3000, RESERVED, 2 },
        { 0x306000, 0x2000, RESERVED, 6 },    { 0x307000, 0x4000, RESERVED, 2 },
        { 0x400000, 0x1000, USABLE, 1 },      { 0x402000, 0x1000, PERSISTENT, 7 },
        { 0x403000, 0x1000, PERSISTENT, 12 },
    };
    static const struct span expected[] = {
        { 0x100000, 0x200000 }, { 0x300000, 0x2000 }, { 0x302000, 0x1000 }, { 0x303000, 0x3000 },
        { 0x306000, 0x1000 },   { 0x307000, 0x1000 }, { 0x308000, 0x3000 }, { 0x400000, 0x1000 },
        { 0x402000, 0x1000 },   { 0x403000, 0x1000 },
    };

    assert_entries(given, 11, expected, 10);
    assert_entries(given, 0, NULL, 0);
}

TEST(lets_the_more_restrictive_kind_win)
{
    static const enum boot_region_kind order[] = {
        USABLE, ACPI, BAD, NVS, RUNTIME, RESERVED, PERSISTENT, MMIO,
    };

    for (size_t weak = 0; weak < 8; weak++) {
        for (size_t strong = weak + 1; strong < 8; strong++) {
            struct boot_region given[] = {
                { 0x10000, 0x10000, order[weak], 0 },
                { 0x14000, 0x4000, order[strong], 0 },
            };

            make(given, 2, 0, 36);
            assert_int_equal(map.n_regions, 3);
            assert_region(0, 0x10000, 0x4000, order[weak]);
            assert_region(1, 0x14000, 0x4000, order[strong]);
            assert_region(2, 0x18000, 0x8000, order[weak]);
            assert_warned(&log_, 1, "overlapping ranges, the more restrictive type is used: 1");

            given[1].base = 0x8000; /* the strong one all around */
            given[1].size = 0x20000;
            make(given, 2, 0, 36);
            assert_int_equal(map.n_regions, 1);
            assert_region(0, 0x8000, 0x20000, order[strong]);
        }
    }
}

TEST(drops_what_is_empty_or_wraps)
{
    static const struct boot_region given[] = {
        { 0x1000, 0, USABLE, 1 },     { 0x1000, 0x1000, USABLE, 1 },
        { 0x2000, 0, RESERVED, 2 },   { 0x3000, UINT64_MAX, USABLE, 1 },
        { UINT64_MAX, 2, USABLE, 1 }, { UINT64_MAX, 0, USABLE, 1 },
    };

    make(given, 6, 0, 36);
    assert_int_equal(map.n_regions, 1);
    assert_region(0, 0x1000, 0x1000, USABLE);
    assert_warned(&log_, 1, "wrap past the end of the address space, dropped: 2");
}

TEST(cuts_what_is_out_of_reach)
{
    static const struct {
        struct boot_region given;
        unsigned bits;
        uint64_t kept;
        bool cut;
    } cases[] = {
        { { 60 * GIB, 4 * GIB, USABLE, 1 }, 36, 4 * GIB, false },
        { { 60 * GIB, 4 * GIB + 1, USABLE, 1 }, 36, 4 * GIB, true },
        { { 64 * GIB - 1, 2, USABLE, 1 }, 36, 1, true },
        { { 64 * GIB, 1, USABLE, 1 }, 36, 0, true },
        { { 64 * GIB, 1, USABLE, 1 }, 37, 1, false },
        { { 0, UINT64_C(1) << 52, USABLE, 1 }, 52, UINT64_C(1) << 52, false },
        { { 0, (UINT64_C(1) << 52) + 1, USABLE, 1 }, 52, UINT64_C(1) << 52, true },
        { { 1, UINT64_MAX, USABLE, 1 }, 52, (UINT64_C(1) << 52) - 1, true }, /* ends at 2^64 */
        { { 0, UINT64_C(1) << 52, USABLE, 1 }, 64, UINT64_C(1) << 52, false },
        { { 0, 4 * GIB, USABLE, 1 }, 0, 4 * GIB, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        make(&cases[i].given, 1, 0, cases[i].bits);
        assert_int_equal(map.n_regions, cases[i].kept != 0);
        if (cases[i].kept)
            assert_region(0, cases[i].given.base, cases[i].kept, USABLE);
        if (cases[i].cut)
            assert_warned(&log_, 1, "above the CPU's physical address limit, truncated: 1");
        else
            assert_int_equal(log_.n, 0);
    }
}

/* Sound firmware may list ranges in any order. */
TEST(sorts_without_a_warning)
{
    static const struct boot_region given[] = {
        { 0x30000, 0x1000, USABLE, 1 },
        { 0x10000, 0x1000, ACPI, 3 },
        { 0x20000, 0x1000, NVS, 4 },
        { 0x40000, 0x1000, USABLE, 1 },
    };

    make(given, 4, 0, 36);
    assert_int_equal(log_.n, 0);
    assert_int_equal(map.n_regions, 4);
    assert_region(0, 0x10000, 0x1000, ACPI);
    assert_region(1, 0x20000, 0x1000, NVS);
    assert_region(2, 0x30000, 0x1000, USABLE);
    assert_region(3, 0x40000, 0x1000, USABLE);
}

TEST(takes_unknown_kinds_as_reserved)
{
    static const struct boot_region given[] = {
        { 0x1000, 0x1000, 0, 1 },
        { 0x2000, 0x1000, BOOT_REGION_UNACCEPTED + 1, 1 },
        { 0x3000, 0x1000, UINT32_MAX, 1 },
    };

    make(given, 3, 0, 36);
    assert_warned(&log_, 1, "of an unknown type, treated as reserved: 3");
    assert_int_equal(map.n_regions, 1);
    assert_region(0, 0x1000, 0x3000, RESERVED);
}

TEST(says_what_was_lost)
{
    static struct boot_region given[BOOT_REGIONS_MAX + 3];

    make(given, 0, 7, 36);
    assert_warned(&log_, 1, "entries beyond the loader's limit, not tested: 7");

    for (size_t i = 0; i < BOOT_REGIONS_MAX + 3; i++)
        given[i] = (struct boot_region){ i * 8 * KIB, 4 * KIB, USABLE, 1 };
    make(given, BOOT_REGIONS_MAX, 0, 36);
    assert_int_equal(map.n_regions, BOOT_REGIONS_MAX);
    assert_int_equal(log_.n, 0);
    make(given, BOOT_REGIONS_MAX + 3, 7, 36);
    assert_int_equal(map.n_regions, BOOT_REGIONS_MAX);
    assert_warned(&log_, 1, "not tested: 10");
}

/* One inside the other, again and again: as many new regions as there can ever be. */
TEST(holds_the_worst_map)
{
    static struct boot_region given[BOOT_REGIONS_MAX];

    for (uint64_t i = 0; i < BOOT_REGIONS_MAX; i++)
        given[i] = (struct boot_region){ i * 4 * KIB, (2 * BOOT_REGIONS_MAX - 1 - 2 * i) * 4 * KIB,
                                         USABLE, 1 };
    make(given, BOOT_REGIONS_MAX, 0, 36);
    assert_int_equal(map.n_regions, 1);
    assert_region(0, 0, (2 * BOOT_REGIONS_MAX - 1) * 4 * KIB, USABLE);
    assert_int_equal(log_.n, 1);

    given[0] = (struct boot_region){ 0, BOOT_REGIONS_MAX * 8 * KIB, USABLE, 1 };
    for (uint64_t i = 1; i < BOOT_REGIONS_MAX; i++)
        given[i] = (struct boot_region){ i * 8 * KIB, 4 * KIB, RESERVED, 2 };
    make(given, BOOT_REGIONS_MAX, 0, 36);
    assert_int_equal(map.n_regions, 2 * BOOT_REGIONS_MAX - 1);
    assert_region(1, 8 * KIB, 4 * KIB, RESERVED);
    assert_region(2 * BOOT_REGIONS_MAX - 2, BOOT_REGIONS_MAX * 8 * KIB - 4 * KIB, 4 * KIB, USABLE);
}

/* Against the definition, address by address, for maps of a few regions among 64 bytes. */
TEST(agrees_with_the_definition)
{
    static const int rank[] = { [USABLE] = 1,  [ACPI] = 2,     [BAD] = 3,        [NVS] = 4,
                                [RUNTIME] = 5, [RESERVED] = 6, [PERSISTENT] = 7, [MMIO] = 8 };
    uint32_t random = 1;

    for (int round = 0; round < 20000; round++) {
        struct boot_region given[6];
        size_t n = (size_t)round % 7;

        for (size_t i = 0; i < n; i++) {
            random = random * 1664525 + 1013904223;
            given[i] =
                (struct boot_region){ random >> 26, random >> 20 & 31, 1 + (random >> 12) % 8, 0 };
        }
        make(given, n, 0, 36);
        for (uint64_t addr = 0; addr < 100; addr++) {
            const struct memory_region *r = memory_map_at(&map, addr);
            uint32_t kind = 0;

            for (size_t i = 0; i < n; i++) {
                if (addr - given[i].base < given[i].size &&
                    (!kind || rank[given[i].kind] > rank[kind]))
                    kind = given[i].kind;
            }
            assert_int_equal(r ? r->kind : 0, kind);
        }
        for (size_t i = 0; i < map.n_regions; i++) {
            assert_true(map.region[i].span.size > 0);
            if (i == 0)
                continue;
            assert_true(map.region[i].span.base >= span_end(map.region[i - 1].span));
            if (map.region[i].span.base == span_end(map.region[i - 1].span))
                assert_int_not_equal(map.region[i].kind, map.region[i - 1].kind);
        }
    }
}

TEST(finds_an_address)
{
    static const struct boot_region given[] = {
        { 0x1000, 0x1000, USABLE, 1 },
        { 0x3000, 0x1000, ACPI, 3 },
        { 0x4000, 0x1000, NVS, 4 },
    };

    make(given, 3, 0, 36);
    assert_null(memory_map_at(&map, 0));
    assert_null(memory_map_at(&map, 0xfff));
    assert_ptr_equal(memory_map_at(&map, 0x1000), &map.region[0]);
    assert_ptr_equal(memory_map_at(&map, 0x1fff), &map.region[0]);
    assert_null(memory_map_at(&map, 0x2000));
    assert_ptr_equal(memory_map_at(&map, 0x3fff), &map.region[1]);
    assert_ptr_equal(memory_map_at(&map, 0x4000), &map.region[2]);
    assert_null(memory_map_at(&map, 0x5000));
    assert_null(memory_map_at(&map, UINT64_MAX));
}

TEST(names_each_kind)
{
    for (enum boot_region_kind a = USABLE; a <= UNACCEPTED; a++) {
        assert_true(strlen(memory_kind_name(a)) > 3);
        for (enum boot_region_kind b = USABLE; b < a; b++)
            assert_string_not_equal(memory_kind_name(a), memory_kind_name(b));
    }
    assert_string_equal(memory_kind_name(USABLE), "usable RAM");
    assert_string_equal(memory_kind_name(ACPI), "ACPI tables");
    assert_string_equal(memory_kind_name(RUNTIME), "UEFI runtime services");
    assert_string_equal(memory_kind_name(0), memory_kind_name(RESERVED));
    assert_string_equal(memory_kind_name(UNACCEPTED + 1), memory_kind_name(RESERVED));
}

TEST(knows_what_is_ram)
{
    static const enum boot_region_kind ram[] = { USABLE, ACPI, NVS, RUNTIME, BAD, SPECIFIC };
    static const enum boot_region_kind other[] = { RESERVED,   MMIO, PERSISTENT,
                                                   UNACCEPTED, 0,    UNACCEPTED + 1 };

    for (size_t i = 0; i < sizeof(ram) / sizeof(ram[0]); i++)
        assert_true(memory_kind_is_ram(ram[i]));
    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
        assert_false(memory_kind_is_ram(other[i]));
}

/* What the memory map can have, and what no region is. */
TEST(each_kind_has_a_word)
{
    for (uint32_t kind = BOOT_REGION_USABLE; kind <= BOOT_REGION_UNACCEPTED; kind++) {
        assert_string_not_equal(memory_kind_word(kind), "unknown");
        for (uint32_t other = BOOT_REGION_USABLE; other < kind; other++)
            assert_string_not_equal(memory_kind_word(kind), memory_kind_word(other));
    }
    assert_string_equal(memory_kind_word(BOOT_REGION_SPECIFIC), "specific-purpose");
    assert_string_equal(memory_kind_word(BOOT_REGION_UNACCEPTED), "unaccepted");
    assert_string_equal(memory_kind_word(0), "unknown");
    assert_string_equal(memory_kind_word(BOOT_REGION_UNACCEPTED + 1), "unknown");
}

#define PAGES(n) ((uint64_t)(n) << PAGE_SHIFT)

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

TEST(unusable_pages_between_ram, start)
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
TEST(much_at_an_end_of_ram_is_firmwares, start)
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

TEST(holes_in_ram, start)
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
TEST(nothing_is_read_after_the_end, start)
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
