// SPDX-License-Identifier: MIT
#include "boot/multiboot2/tag.h"
#include "information.h"

struct entry {
    uint64_t base, size;
    uint32_t type;
};

/* A memory map whose entries are entry_size bytes apart. */
static void add_map(const struct entry *e, size_t n, uint32_t entry_size)
{
    static uint8_t map[65536];

    memset(map, 0xee, sizeof(map));
    memcpy(map, &entry_size, 4);
    memset(map + 4, 0, 4);
    assert_true(8 + n * entry_size <= sizeof(map));
    for (size_t i = 0; i < n; i++) {
        memcpy(map + 8 + i * entry_size, &e[i].base, 8);
        memcpy(map + 8 + i * entry_size + 8, &e[i].size, 8);
        memcpy(map + 8 + i * entry_size + 16, &e[i].type, 4);
    }
    add(6, map, 8 + n * entry_size);
}

static const struct entry pc[] = {
    { 0, 0x9fc00, 1 },          { 0x9fc00, 0x400, 2 },   { 0x100000, 0x3fe00000, 1 },
    { 0x3ff00000, 0x10000, 3 }, { 0x3ff10000, 4096, 4 }, { 0x3ff20000, 4096, 5 },
    { 4 * GIB, 2 * GIB, 1 },    { 6 * GIB, GIB, 7 },     { 7 * GIB, GIB, 99 },
};

static const enum boot_region_kind pc_kind[] = {
    BOOT_REGION_USABLE,       BOOT_REGION_RESERVED,   BOOT_REGION_USABLE,
    BOOT_REGION_ACPI_RECLAIM, BOOT_REGION_ACPI_NVS,   BOOT_REGION_BAD,
    BOOT_REGION_USABLE,       BOOT_REGION_PERSISTENT, BOOT_REGION_RESERVED,
};

static void assert_pc(size_t n)
{
    assert_int_equal(info.n_regions, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(info.region[i].base, pc[i].base);
        assert_int_equal(info.region[i].size, pc[i].size);
        assert_int_equal(info.region[i].kind, pc_kind[i]);
        assert_int_equal(info.region[i].firmware_type, pc[i].type);
    }
}

/* What GRUB gives on BIOS, in its order, with tags that okram does not need. */
static void make_grub(void)
{
    static const uint8_t load_base[4], sections[12 + 64], apm[20];

    begin();
    add(21, load_base, sizeof(load_base));
    add(1, "tests=quick", 12);
    add(2, "GRUB 2.06-13", 13);
    add(10, apm, sizeof(apm));
    add_map(pc, COUNT(pc), 24);
    add(9, sections, sizeof(sections));
    add(8, &text, TEXT_BYTES);
    add(14, rsdp_1, sizeof(rsdp_1));
}

TEST(what_grub_gives)
{
    make_grub();
    assert_int_equal(read_all(), STATUS_OK);
    assert_int_equal(info.magic, BOOT_INFO_MAGIC);
    assert_int_equal(info.version, BOOT_INFO_VERSION);
    assert_int_equal(info.size, sizeof(info));
    assert_int_equal(info.firmware, BOOT_BIOS);
    assert_string_equal(info.cmdline, "tests=quick");
    assert_string_equal(info.loader, "GRUB 2.06-13");
    assert_string_equal(info.conf, "");
    assert_pc(COUNT(pc));
    assert_int_equal(info.regions_lost, 0);
    assert_int_equal(info.truncated, 0);
    assert_int_equal(info.vga_text, 1);
    assert_int_equal(info.framebuffer.base, 0);
    assert_memory_equal((void *)info.rsdp, rsdp_1, sizeof(rsdp_1));
    assert_int_equal(info.smbios, 0);
    assert_int_equal(info.efi_system_table, 0);
}

/* Cut anywhere: nothing past the end is read, and what came before is there. */
TEST(every_truncation)
{
    size_t kept_at_all[4] = { 0 };

    make_grub();
    end();
    for (size_t size = 0; size < b.size; size++) {
        assert_int_equal(read_cut(size), STATUS_INVALID);
        assert_int_equal(info.magic, BOOT_INFO_MAGIC);
        kept_at_all[0] += info.cmdline[0] != 0;
        kept_at_all[1] += info.loader[0] != 0;
        kept_at_all[2] += info.n_regions != 0;
        kept_at_all[3] += info.rsdp != 0;
        assert_pc(info.n_regions ? COUNT(pc) : 0);
    }
    for (size_t i = 0; i < 3; i++)
        assert_true(kept_at_all[i] > kept_at_all[i + 1]);
    /* The RSDP's tag ends at 28, is padded to 32, and 8 bytes of an end follow. */
    assert_int_equal(kept_at_all[3], 4 + 8);
    assert_int_equal(read_cut(b.size), STATUS_OK);
}

TEST(impossible_tag_lengths)
{
    static const uint32_t sizes[] = { 0, 1, 7, 25, 0x7fffffff, 0xfffffff8, 0xffffffff };

    for (uint32_t type = 0; type <= 22; type++) {
        for (size_t i = 0; i < COUNT(sizes); i++) {
            make_grub();
            add_sized(type, sizes[i], "0123456789abcdef", 16); /* really 24 */
            assert_int_equal(read_cut(b.size), STATUS_INVALID);
            assert_string_equal(info.cmdline, "tests=quick");
            assert_pc(COUNT(pc));
        }
    }
}

TEST(memory_map_lengths)
{
    static const struct {
        uint32_t tag, entry;
        size_t n;
    } cases[] = {
        { 8, 24, 0 },  { 15, 24, 0 }, { 16, 24, 0 }, { 39, 24, 0 },         { 40, 24, 1 },
        { 63, 24, 1 }, { 64, 24, 2 }, { 64, 0, 0 },  { 64, 23, 0 },         { 64, 0x80000000, 1 },
        { 65, 25, 2 }, { 64, 25, 1 }, { 80, 40, 2 }, { 64, 0xffffffff, 1 }, { 39, 0xffffffff, 0 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t tag = cases[i].tag, entry = cases[i].entry;
        size_t at;

        begin();
        at = b.size;
        add_map(pc, 2, entry >= 24 && entry <= 40 ? entry : 24);
        memcpy(b.bytes + at + 4, &tag, 4);
        memcpy(b.bytes + at + 8, &entry, 4);
        b.size = at + tag;
        assert_int_equal(read_all(), STATUS_OK);
        assert_pc(cases[i].n);
        assert_int_equal(info.regions_lost, 0);
    }
}

TEST(more_entries_than_there_is_room_for)
{
    static struct entry many[BOOT_REGIONS_MAX];

    for (size_t i = 0; i < BOOT_REGIONS_MAX; i++)
        many[i] = (struct entry){ i << 20, 4096, 1 };
    begin();
    add_map(many, BOOT_REGIONS_MAX, 24);
    assert_int_equal(read_all(), STATUS_OK);
    assert_int_equal(info.n_regions, BOOT_REGIONS_MAX);
    assert_int_equal(info.regions_lost, 0);
    assert_int_equal(info.region[BOOT_REGIONS_MAX - 1].base, (uint64_t)(BOOT_REGIONS_MAX - 1)
                                                                 << 20);

    begin();
    add_map(many, BOOT_REGIONS_MAX - 1, 24);
    add_map(pc, 3, 24);
    assert_int_equal(read_all(), STATUS_OK);
    assert_int_equal(info.n_regions, BOOT_REGIONS_MAX);
    assert_int_equal(info.regions_lost, 2);
    assert_int_equal(info.region[BOOT_REGIONS_MAX - 2].base, (uint64_t)(BOOT_REGIONS_MAX - 2)
                                                                 << 20);
    assert_int_equal(info.region[BOOT_REGIONS_MAX - 1].size, pc[0].size);
}

TEST(strings)
{
    static const struct {
        uint32_t type;
        char *to;
        size_t room;
    } fields[] = {
        { 1, info.cmdline, BOOT_CMDLINE_MAX },
        { 2, info.loader, BOOT_LOADER_MAX },
        { TAG_CONF, info.conf, BOOT_CONF_MAX },
    };
    static char a[BOOT_CONF_MAX + 100];

    memset(a, 'a', sizeof(a));
    for (size_t i = 0; i < COUNT(fields); i++) {
        const struct {
            size_t content, text, want; /* bytes in the tag, and before a NUL */
        } cases[] = {
            { 0, 0, 0 }, /* no byte at all */
            { 1, 0, 0 },
            { 5, 5, 5 }, /* not terminated */
            { 9, 5, 5 },
            { fields[i].room, fields[i].room - 1, fields[i].room - 1 },
            { fields[i].room - 1, fields[i].room - 1, fields[i].room - 1 },
            { fields[i].room + 1, fields[i].room, fields[i].room - 1 },
            { fields[i].room + 99, fields[i].room + 99, fields[i].room - 1 },
        };

        for (size_t c = 0; c < COUNT(cases); c++) {
            char content[sizeof(a)] = { 0 };

            memcpy(content, a, cases[c].text);
            begin();
            add(fields[i].type, content, cases[c].content);
            assert_int_equal(read_all(), STATUS_OK);
            assert_int_equal(strlen(fields[i].to), cases[c].want);
            assert_memory_equal(fields[i].to, a, cases[c].want);
            assert_int_equal(info.truncated, cases[c].text > cases[c].want);
        }
    }
}

/* Tags of any kind, length and content: the end comes, and nothing past it is read. */
TEST(random_tags)
{
    srand(4);
    for (int round = 0; round < 20000; round++) {
        size_t n_tags = (size_t)rand() % 6;

        begin();
        while (n_tags--) {
            uint8_t content[64];
            size_t n = (size_t)rand() % sizeof(content);

            for (size_t i = 0; i < n; i++)
                content[i] = (uint8_t)(rand() % 4 ? rand() % 40 : rand());
            add_sized((uint32_t)rand() % 17,
                      (uint32_t)(8 + n) + (rand() % 8 ? 0 : (uint32_t)rand()), content, n);
        }
        if (rand() % 2)
            end();
        read_cut(b.size);
        assert_true(info.n_regions <= BOOT_REGIONS_MAX);
        assert_true(strlen(info.cmdline) < BOOT_CMDLINE_MAX);
        assert_true(strlen(info.loader) < BOOT_LOADER_MAX);
    }
}
