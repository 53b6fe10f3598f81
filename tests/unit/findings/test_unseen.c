// SPDX-License-Identifier: MIT
#include "findings/unseen.h"

#include "tests/unit/unit.h"

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

static struct memory_map map;
static struct modules modules;
static struct module_spd spd[MODULE_SPDS_MAX];
static struct unseen_facts facts;

static void add_region(uint64_t base, uint64_t bytes, enum boot_region_kind kind)
{
    map.region[map.n_regions++] = (struct memory_region){ { base, bytes }, kind };
}

/* RAM up to 3 GiB and from 4 GiB on, as machines with more have it. */
static void map_ram(uint64_t bytes)
{
    uint64_t low = bytes < 3 * GIB ? bytes : 3 * GIB;

    map.n_regions = 0;
    add_region(0, low, BOOT_REGION_USABLE);
    if (bytes > low)
        add_region(4 * GIB, bytes - low, BOOT_REGION_USABLE);
}

static struct unseen find(void)
{
    facts.slots = memory.n_slot ? &memory : NULL;
    facts.modules = &modules;
    facts.map = &map;
    return unseen_find(&facts);
}

static int start(void **state)
{
    memset(&memory, 0, sizeof(memory));
    memset(&modules, 0, sizeof(modules));
    memset(&facts, 0, sizeof(facts));
    return 0;
}

static struct unseen find_without(uint64_t missing)
{
    map_ram(memory.installed_bytes - missing);
    return find();
}

TEST(by_what_is_missing, start)
{
    static const struct {
        uint8_t gib[9];
        uint64_t missing;
        bool is_missing;
        uint32_t modules;
        bool at_least, may_be_mirrored;
    } cases[] = {
        /* what firmware keeps without listing it: a sixteenth, 256 MiB, a sixty-fourth */
        { { 16, 16, 16, 16 }, 0, false, 0, false, false },
        { { 16, 16, 16, 16 }, GIB, false, 0, false, false },
        { { 16, 16, 16, 16 }, GIB + 1, true, 0, false, false },
        { { 8, 8 }, 256 * MIB, false, 0, false, false },
        { { 8, 8 }, 256 * MIB + 1, true, 0, false, false },
        { { 1, 1 }, 128 * MIB, false, 0, false, false },
        { { 1, 1 }, 128 * MIB + 1, true, 0, false, false },
        /* parts of modules: half of one, an eighth of two */
        { { 16 }, 16 * GIB - 511 * MIB, true, 0, false, false },
        { { 8 }, 4 * GIB, true, 0, false, false },
        { { 4 }, 2 * GIB, true, 0, false, false },
        { { 1 }, 512 * MIB, true, 0, false, false },
        { { 8, 8 }, 2 * GIB, true, 0, false, false },
        { { 2, 2 }, 512 * MIB, true, 0, false, false },
        /* modules */
        { { 16, 16, 16, 16 }, 16 * GIB, true, 1, false, false },
        { { 16, 16, 16, 16 }, 16 * GIB + 300 * MIB, true, 1, false, false },
        { { 16, 16, 16, 16 }, 15 * GIB, true, 1, false, false },
        { { 16, 16, 16, 16 }, 15 * GIB - 1, true, 0, false, false },
        { { 16, 16, 16, 16 }, 48 * GIB + 300 * MIB, true, 3, false, false },
        { { 2, 2, 2, 2 }, 2 * GIB + 100 * MIB, true, 1, false, false },
        { { 16, 32, 32 }, 32 * GIB + 300 * MIB, true, 1, true, false },
        { { 16, 32, 32 }, 16 * GIB + 300 * MIB, true, 1, true, false },
        { { 16, 32, 32 }, 14 * GIB, true, 0, false, false },
        /* or a mirror */
        { { 16, 16, 16, 16 }, 32 * GIB, true, 2, false, true },
        { { 16, 16, 16, 16 }, 32 * GIB + 2 * GIB, true, 2, false, true },
        { { 16, 16, 16, 16 }, 32 * GIB + 4 * GIB, true, 2, false, false },
        { { 8, 8 }, 8 * GIB + 200 * MIB, true, 1, false, true },
        { { 8, 16 }, 12 * GIB, true, 1, true, false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct unseen unseen;

        install(cases[i].gib, DDR4);
        unseen = find_without(cases[i].missing);
        assert_int_equal(unseen.missing_bytes, cases[i].is_missing ? cases[i].missing : 0);
        assert_int_equal(unseen.installed_bytes, cases[i].is_missing ? memory.installed_bytes : 0);
        assert_int_equal(unseen.modules, cases[i].modules);
        assert_int_equal(unseen.of, cases[i].is_missing ? memory.populated : 0);
        assert_int_equal(unseen.at_least, cases[i].at_least);
        assert_int_equal(unseen.may_be_mirrored, cases[i].may_be_mirrored);
    }
}

TEST(small_machines_keep_16_mib, start)
{
    memset(&memory, 0, sizeof(memory));
    add_slot(64 * MIB, DDR4);
    assert_int_equal(find_without(16 * MIB).missing_bytes, 0);
    assert_int_equal(find_without(16 * MIB + 1).missing_bytes, 16 * MIB + 1);
}

/* Graphics by AMD or Intel may have some that nobody lists: a quarter, and 2 GiB at most. */
TEST(graphics_may_have_some, start)
{
    static const uint8_t four[9] = { 2, 2 }, sixteen[9] = { 8, 8 };

    facts.has_graphics = true;
    install(sixteen, DDR4);
    assert_int_equal(find_without(2 * GIB + 256 * MIB).missing_bytes, 0);
    assert_int_equal(find_without(2 * GIB + 256 * MIB + 1).missing_bytes, 2 * GIB + 256 * MIB + 1);
    install(four, DDR4);
    map_ram(4 * GIB - GIB - 256 * MIB);
    add_region(4 * GIB, MIB, BOOT_REGION_USABLE); /* no hole explains it */
    assert_int_equal(find().missing_bytes, 0);
    map.region[0].span.size -= 2 * MIB;
    assert_int_equal(find().missing_bytes, GIB + 257 * MIB);
}

/* A chipset for 4 GiB loses what PCI's addresses hide; not where RAM ends far below them. */
TEST(a_hole_explains_what_it_hides, start)
{
    static const uint8_t four[9] = { 2, 2 }, eight[9] = { 4, 4 };

    install(four, DDR4);
    assert_int_equal(find_without(3 * GIB / 2).missing_bytes, 0);
    assert_int_equal(find_without(3 * GIB / 2 + MIB).missing_bytes, 3 * GIB / 2 + MIB);
    map_ram(3 * GIB);
    add_region(4 * GIB, MIB, BOOT_REGION_USABLE); /* memory is moved out of the hole */
    assert_int_equal(find().missing_bytes, GIB - MIB);
    install(eight, DDR4);
    map_ram(3 * GIB);
    assert_int_equal(find().missing_bytes, 5 * GIB);
}

/* An APU with 16 of 32 GiB for graphics, and windows of devices. */
TEST(what_is_reserved_beside_ram_is_present, start)
{
    static const uint8_t gib[9] = { 16, 16 };

    install(gib, DDR4);
    map.n_regions = 0;
    add_region(0, 3 * GIB, BOOT_REGION_USABLE);
    add_region(3 * GIB, 512 * MIB, BOOT_REGION_RESERVED);
    add_region(4 * GIB - 16 * MIB, 16 * MIB, BOOT_REGION_RESERVED); /* firmware's ROM */
    add_region(4 * GIB, 12 * GIB, BOOT_REGION_USABLE);
    add_region(16 * GIB, 16 * GIB, BOOT_REGION_RESERVED);
    add_region(1000 * GIB, 12 * GIB, BOOT_REGION_RESERVED);
    assert_int_equal(find().missing_bytes, 0);
    map.region[4].span.size -= GIB;
    assert_int_equal(find().missing_bytes, 3 * GIB / 2);
    map.region[4].kind = BOOT_REGION_MMIO;
    assert_int_equal(find().missing_bytes, 16 * GIB + 512 * MIB);
    map.region[4].kind = BOOT_REGION_UNACCEPTED; /* the host's, but there */
    assert_int_equal(find().missing_bytes, 3 * GIB / 2);
    map.region[3] = (struct memory_region){ { 4 * GIB, GIB }, BOOT_REGION_RESERVED };
    map.region[4] = (struct memory_region){ { 5 * GIB, 26 * GIB }, BOOT_REGION_USABLE };
    assert_int_equal(find().missing_bytes, 3 * GIB / 2); /* reserved before it, above 4 GiB */
}

/* Of 16 GiB the chipset has 2 GiB for itself and graphics, and leaves the rest. */
TEST(registers_say_what_is_taken, start)
{
    static const uint8_t gib[9] = { 8, 8 };
    const struct dram_top top = { 16 * GIB, { { 0, 2 * GIB }, { 4 * GIB, 12 * GIB } } };

    install(gib, DDR4);
    map.n_regions = 0;
    add_region(0, 2 * GIB, BOOT_REGION_USABLE);
    add_region(4 * GIB, 12 * GIB, BOOT_REGION_USABLE);
    assert_int_equal(find().missing_bytes, 2 * GIB);
    facts.top = top;
    assert_int_equal(find().missing_bytes, 0);
    facts.has_graphics = true; /* they are in the registers */
    map.region[1].span.size -= GIB;
    assert_int_equal(find().missing_bytes, GIB);
    add_region(15 * GIB, GIB, BOOT_REGION_RESERVED); /* of what the chipset leaves */
    assert_int_equal(find().missing_bytes, 0);
    map.region[2].span.base += GIB; /* of no memory */
    assert_int_equal(find().missing_bytes, GIB);
    facts.top.total_bytes = 8 * GIB; /* the controllers see one module */
    facts.top.usable[1].size = 4 * GIB;
    map.region[1].span.size = 4 * GIB;
    assert_int_equal(find().missing_bytes, 8 * GIB);
    assert_int_equal(find().modules, 1);
}

/* From an 8 GiB machine: TSEG of 8 MiB, 2 MiB of page tables, 64 MiB stolen, 20 MiB of the ME. */
TEST(registers_are_believed_if_they_agree, start)
{
    static const uint32_t good[DRAM_TOP_WORDS] = {
        0x00000001, 0x2, 0x3ac00001, 0x2, 0xbc200001, 0xbc000001, 0xbb800001, 0xc0200001,
    };
    static const struct {
        unsigned word;
        uint32_t value;
    } bad[] = {
        { 0, 0x10 },       { 2, 0x3ac00801 }, { 4, 0xbb000001 }, { 5, 0xbb000001 },
        { 6, 0 },          { 7, 0xbc000001 }, { 3, 0x3 },        { 1, 0x7 },
        { 6, 0xbb800003 }, { 1, 0x1 },        { 0, UINT32_MAX },
    };
    struct dram_top top = { 0 };

    assert_true(dram_top_decode(good, &top));
    assert_int_equal(top.total_bytes, 8 * GIB);
    assert_int_equal(top.usable[0].size, UINT64_C(0xbb800000));
    assert_int_equal(top.usable[1].base, 4 * GIB);
    assert_int_equal(top.usable[1].size, 4 * GIB + UINT64_C(0x3ac00000));
    for (size_t i = 0; i < COUNT(bad); i++) {
        uint32_t word[DRAM_TOP_WORDS];

        memcpy(word, good, sizeof(word));
        word[bad[i].word] = bad[i].value;
        memset(&top, 0, sizeof(top));
        assert_false(dram_top_decode(word, &top));
        assert_int_equal(top.total_bytes, 0);
    }
}

/* Sizes in GiB, by address from 0x50 on; those in SMBIOS are in slots of the same order. */
static void read_spds(const uint8_t gib[9], size_t n_listed)
{
    memset(&modules, 0, sizeof(modules));
    memset(spd, 0, sizeof(spd));
    for (size_t i = 0; gib[i]; i++) {
        spd[i].address = (uint8_t)(0x50 + i);
        spd[i].spd.size_bytes = gib[i] * GIB;
        modules.module[modules.n++] =
            (struct module){ .spd = &spd[i], .slot = i < n_listed ? &memory.slot[i] : NULL };
    }
}

TEST(modules_that_only_the_bus_knows, start)
{
    static const uint8_t one[9] = { 8 }, two[9] = { 8, 8 }, mixed[9] = { 8, 16 };
    struct unseen u;

    install(one, DDR4); /* the other is in no list but its own */
    read_spds(two, 1);
    map_ram(8 * GIB);
    u = find();
    assert_int_equal(u.missing_bytes, 8 * GIB);
    assert_int_equal(u.installed_bytes, 16 * GIB);
    assert_int_equal(u.modules, 1);
    assert_int_equal(u.of, 2);
    assert_int_equal(u.n_at, 1);
    assert_int_equal(u.at[0], 0x51);

    read_spds(two, 0); /* which of them is in the list is not known */
    u = find();
    assert_int_equal(u.modules, 1);
    assert_int_equal(u.n_at, 2);
    assert_int_equal(u.at[0], 0x50);
    assert_int_equal(u.at[1], 0x51);

    install(one, DDR4);
    read_spds(mixed, 1); /* sizes differ, but this one it is */
    map_ram(8 * GIB);
    u = find();
    assert_int_equal(u.missing_bytes, 16 * GIB);
    assert_int_equal(u.modules, 1);
    assert_false(u.at_least);
    assert_int_equal(u.at[0], 0x51);

    spd[1].spd.problems = 1u << SPD_BASE_CRC; /* its size is not believed */
    assert_int_equal(find().missing_bytes, 0);
    spd[1].spd.problems = 1u << SPD_SERIAL;
    assert_int_equal(find().missing_bytes, 16 * GIB);
    map_ram(24 * GIB); /* the list is short, but all memory is there */
    assert_int_equal(find().missing_bytes, 0);

    memset(&memory, 0, sizeof(memory)); /* no list at all */
    read_spds(two, 0);
    map_ram(8 * GIB);
    assert_int_equal(find().modules, 1);
    assert_int_equal(find().n_at, 2);
    install(two, DDR4); /* both know both: the bus says no more */
    read_spds(two, 2);
    map_ram(8 * GIB);
    assert_int_equal(find().modules, 1);
    assert_int_equal(find().n_at, 0);
}

/* What was in the lists once, after their ends. */
TEST(nothing_is_read_after_the_end, start)
{
    static const uint8_t gib[9] = { 16, 16, 16, 16 };

    install(gib, DDR4);
    map.n_regions = 0;
    add_region(4 * GIB, 48 * GIB, BOOT_REGION_USABLE);
    add_region(60 * GIB, 4 * GIB, BOOT_REGION_RESERVED);
    add_region(64 * GIB, 16 * GIB, BOOT_REGION_USABLE);
    map.n_regions = 2;
    memory.slot[memory.n_slot] = (struct smbios_slot){ .is_populated = true };
    assert_int_equal(find().missing_bytes, 16 * GIB);
    assert_int_equal(find().modules, 1);
}

TEST(is_silent_where_nothing_is_known, start)
{
    static const uint8_t gib[9] = { 16, 16, 16, 16 };

    map_ram(48 * GIB);
    assert_int_equal(find().missing_bytes, 0); /* no SMBIOS, no SPD */

    install(gib, DDR4);
    assert_int_equal(find().modules, 1);
    map_ram(80 * GIB); /* more than is listed */
    assert_int_equal(find().missing_bytes, 0);
    map_ram(48 * GIB);
    memory.slot[2].is_ordinary = false; /* persistent, or on a CXL card */
    assert_int_equal(find().missing_bytes, 0);

    install(gib, DDR4);
    memory.slot[4].is_populated = true; /* of unknown size */
    assert_int_equal(find().missing_bytes, 0);
    memory.slot[4].is_populated = false;
    memory.unknown++;
    assert_int_equal(find().missing_bytes, 0);

    install(gib, DDR4);
    memory.slots++; /* more slots than are kept */
    assert_int_equal(find().missing_bytes, 0);

    install(gib, LPDDR5); /* soldered: graphics may have most of it... */
    map_ram(16 * GIB);
    assert_int_equal(find().missing_bytes, 0);
    facts.top = (struct dram_top){ 64 * GIB, { { 0, 3 * GIB }, { 4 * GIB, 60 * GIB } } };
    assert_int_equal(find().missing_bytes, 47 * GIB); /* ...but the registers know */
}
