// SPDX-License-Identifier: MIT
#include "firmware/smbios.h"

#include "damage.h"
#include "q35.h"

#define TABLE_AT 0x7000000

/* Type 1 with two strings, type 2 without, end. */
static const uint8_t structures[] = {
    1, 6, 0, 1, 1, 2, 'P', 'C', 0, 'X', 0, 0, 2, 4, 1, 1, 0, 0, 127, 4, 2, 1, 0, 0,
};

struct machine {
    struct fake_memory memory;
    struct phys_reader reader;
    struct warning_log log;
    struct warnings warnings;
};

static struct machine machine;

static int set_up(void **state)
{
    memset(&machine, 0, sizeof(machine));
    machine.reader = fake_reader(&machine.memory);
    machine.warnings = warnings_to(&machine.log);
    fake_add(&machine.memory, TABLE_AT, structures, sizeof(structures));
    return 0;
}

static int tear_down(void **state)
{
    fake_free(&machine.memory);
    return 0;
}

static uint8_t *add_entry_2(uint64_t phys, uint8_t length)
{
    uint8_t e[64] = "_SM_";

    e[5] = length;
    e[6] = 2;
    e[7] = 8;
    memcpy(e + 0x10, "_DMI_", 5);
    memcpy(e + 0x16, (uint16_t[]){ sizeof(structures) }, 2);
    memcpy(e + 0x18, (uint32_t[]){ TABLE_AT }, 4);
    e[0x1c] = 3;
    mend_checksum(e, length, 4);
    return fake_add(&machine.memory, phys, e, length < 31 ? 31 : length);
}

static uint8_t *add_entry_3(uint64_t phys, uint8_t length)
{
    uint8_t e[64] = "_SM3_";

    e[6] = length;
    e[7] = 3;
    e[8] = 7;
    memcpy(e + 0x0c, (uint32_t[]){ sizeof(structures) }, 4);
    memcpy(e + 0x10, (uint64_t[]){ TABLE_AT }, 8);
    mend_checksum(e, length, 5);
    return fake_add(&machine.memory, phys, e, length < 24 ? 24 : length);
}

static enum status open_at(uint64_t entry, struct smbios *ret_smbios)
{
    memset(&machine.log, 0, sizeof(machine.log));
    return smbios_open(&machine.reader, entry, &machine.warnings, ret_smbios);
}

TEST(opens_both_kinds, set_up, tear_down)
{
    struct smbios s;

    add_entry_2(0x1000, 31);
    add_entry_3(0x200000000, 24);
    assert_int_equal(open_at(0x1000, &s), STATUS_OK);
    assert_int_equal(s.major, 2);
    assert_int_equal(s.minor, 8);
    assert_int_equal(s.n_structures, 3);
    assert_int_equal(s.length, sizeof(structures));
    assert_memory_equal(s.structures, structures, sizeof(structures));

    assert_int_equal(open_at(0x200000000, &s), STATUS_OK);
    assert_int_equal(s.major, 3);
    assert_int_equal(s.minor, 7);
    assert_int_equal(s.n_structures, UINT32_MAX);
    assert_int_equal(s.length, sizeof(structures));
    assert_int_equal(machine.log.n, 0);
}

TEST(searches_the_bios_area, set_up, tear_down)
{
    struct smbios s;

    assert_int_equal(open_at(0, &s), STATUS_NOT_FOUND);
    assert_int_equal(machine.log.n, 0);
    add_entry_2(0xeffe0, 31);  /* below it */
    add_entry_2(0xf0008, 31);  /* not on 16 bytes */
    add_entry_2(0x100000, 31); /* above it */
    assert_int_equal(open_at(0, &s), STATUS_NOT_FOUND);
    add_entry_2(0xf0040, 31);
    assert_int_equal(open_at(0, &s), STATUS_OK);
    assert_int_equal(s.major, 2);
    add_entry_3(0xfffe0, 24);
    assert_int_equal(open_at(0, &s), STATUS_OK);
    assert_int_equal(s.major, 3); /* the newer is preferred */
    assert_int_equal(machine.log.n, 0);

    assert_int_equal(open_at(0x5000, &s), STATUS_OK);
    assert_int_equal(s.major, 3);
    assert_warned(&machine.log, 1, "no valid entry point at 0x5000");
}

TEST(refuses_broken_entry_points, set_up, tear_down)
{
    static const uint8_t marks_2[] = { 0, 3, 4, 5, 6, 0x10, 0x14, 0x1e };
    static const uint8_t marks_3[] = { 0, 4, 5, 6, 7, 0x10, 0x17 };
    uint8_t *e2 = add_entry_2(0x1000, 31), *e3 = add_entry_3(0x2000, 24);
    struct smbios s;

    for (size_t i = 0; i < sizeof(marks_2); i++) {
        e2[marks_2[i]] ^= 0x40;
        assert_int_equal(open_at(0x1000, &s), STATUS_NOT_FOUND);
        assert_warned(&machine.log, 1, "no valid entry point");
        e2[marks_2[i]] ^= 0x40;
    }
    for (size_t i = 0; i < sizeof(marks_3); i++) {
        e3[marks_3[i]] ^= 0x40;
        assert_int_equal(open_at(0x2000, &s), STATUS_NOT_FOUND);
        e3[marks_3[i]] ^= 0x40;
    }
    assert_int_equal(open_at(0x1000, &s), STATUS_OK);
    assert_int_equal(open_at(0x2000, &s), STATUS_OK);
}

TEST(minds_the_entry_points_length, set_up, tear_down)
{
    static const struct {
        uint8_t length;
        bool ok;
    } lengths_2[] = { { 29, false }, { 30, true }, { 31, true }, { 40, true } },
      lengths_3[] = { { 23, false }, { 24, true }, { 40, true } };
    struct smbios s;

    for (size_t i = 0; i < sizeof(lengths_2) / sizeof(lengths_2[0]); i++) {
        add_entry_2(0x1000 * (i + 1), lengths_2[i].length);
        assert_int_equal(open_at(0x1000 * (i + 1), &s) == STATUS_OK, lengths_2[i].ok);
    }
    for (size_t i = 0; i < sizeof(lengths_3) / sizeof(lengths_3[0]); i++) {
        add_entry_3(0x9000 * (i + 1), lengths_3[i].length);
        assert_int_equal(open_at(0x9000 * (i + 1), &s) == STATUS_OK, lengths_3[i].ok);
    }
}

TEST(refuses_unreadable_structures, set_up, tear_down)
{
    uint8_t *e3 = add_entry_3(0x2000, 24);
    struct smbios s = { .major = 77 };

    memcpy(e3 + 0x0c, (uint32_t[]){ sizeof(structures) + 1 }, 4);
    mend_checksum(e3, 24, 5);
    assert_int_equal(open_at(0x2000, &s), STATUS_INVALID);
    assert_warned(&machine.log, 1, "are not readable");

    memset(e3 + 0x0c, 0, 4);
    mend_checksum(e3, 24, 5);
    assert_int_equal(open_at(0x2000, &s), STATUS_INVALID);
    assert_int_equal(s.major, 77);
}

/* Firmware may give a generous upper limit: only as much is asked for as a list can be long. */
TEST(limits_the_structures_length, set_up, tear_down)
{
    static uint8_t large[1 << 20];
    uint8_t *e3 = add_entry_3(0x2000, 24);
    struct smbios s;

    memcpy(large, structures, sizeof(structures));
    fake_add(&machine.memory, 0x10000000, large, sizeof(large));
    memcpy(e3 + 0x0c, (uint32_t[]){ UINT32_MAX }, 4);
    memcpy(e3 + 0x10, (uint64_t[]){ 0x10000000 }, 8);
    mend_checksum(e3, 24, 5);
    assert_int_equal(open_at(0x2000, &s), STATUS_OK);
    assert_int_equal(s.length, sizeof(large));
    assert_int_equal(machine.log.n, 0);
}

/* A copy of its exact size, walked; returns how many structures there are. */
static unsigned walk(const uint8_t *bytes, size_t length, uint32_t n_structures, bool *ret_ok)
{
    uint8_t *copy = malloc(length ? length : 1);
    struct smbios s = { .structures = copy, .length = length, .n_structures = n_structures };
    struct smbios_cursor c;
    const struct smbios_structure *found;
    unsigned n = 0;

    memcpy(copy, bytes, length);
    c = smbios_structures(&s);
    while ((found = smbios_next(&c))) {
        volatile uint8_t last = ((const uint8_t *)found)[found->length - 1];

        (void)last;
        n++;
        assert_true(n <= length / 4);
    }
    *ret_ok = !c.malformed;
    free(copy);
    return n;
}

TEST(walks_structures, set_up, tear_down)
{
    static const struct {
        uint8_t bytes[32];
        size_t length;
        uint32_t n_structures;
        unsigned found;
        bool ok;
    } lists[] = {
        { { 0 }, 0, UINT32_MAX, 0, true },
        { { 1, 4, 0, 0, 0, 0 }, 6, UINT32_MAX, 1, true },
        { { 1, 4, 0, 0, 0, 0, 127, 4, 0, 0, 0, 0, 1, 0 }, 14, UINT32_MAX, 2, true },
        { { 127, 4, 0, 0, 'A', 0, 0, 9 }, 8, UINT32_MAX, 1, true },
        { { 1, 4, 0, 0, 0, 0, 2, 4, 0, 0, 0, 0, 9 }, 13, 2, 2, true }, /* counted */
        { { 1, 4, 0, 0, 0, 0, 2, 4, 0, 0, 0, 0 }, 12, 1, 1, true },
        { { 1, 4, 0, 0, 0, 0, 2, 4, 0, 0, 0, 0 }, 12, 0, 0, true },
        { { 1, 4, 0, 0, 'A', 0, 'B', 0, 0, 2, 4, 0, 0, 0, 0 }, 15, UINT32_MAX, 2, true },
        { { 1, 4, 0, 0, 0, 0 }, 6, 2, 1, false }, /* one of those counted is missing */
        { { 1, 4, 0, 0, 0, 0, 127, 4, 0, 0, 0, 0 }, 12, 3, 2, false },
        { { 1, 4, 0, 0, 0, 0, 127, 4, 0, 0, 0, 0 }, 12, 2, 2, true },
        /* the first claims 10 bytes, and reaches over the second */
        { { 1, 10, 0, 0, 0, 0, 2, 4, 0, 0, 0, 0, 127, 4, 0, 0, 0, 0 }, 18, 3, 2, false },
        { { 1, 0, 0, 0, 0, 0 }, 6, UINT32_MAX, 0, false }, /* zero length must not loop */
        { { 1, 3, 0, 0, 0, 0 }, 6, UINT32_MAX, 0, false },
        { { 1, 4, 0 }, 3, UINT32_MAX, 0, false }, /* no whole head */
        { { 1, 4, 0, 0 }, 4, UINT32_MAX, 1, false },
        { { 1, 7, 0, 0, 0, 0 }, 6, UINT32_MAX, 0, false },   /* one byte past the end */
        { { 1, 6, 0, 0, 0, 0 }, 6, UINT32_MAX, 1, false },   /* no room for the strings' end */
        { { 1, 4, 0, 0, 'A', 0 }, 6, UINT32_MAX, 1, false }, /* the strings do not end */
        { { 1, 4, 0, 0, 0, 0, 2, 4, 0 }, 9, 9, 1, false },
    };

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        bool ok;
        unsigned n = walk(lists[i].bytes, lists[i].length, lists[i].n_structures, &ok);

        assert_int_equal(n, lists[i].found);
        assert_int_equal(ok, lists[i].ok);
    }
}

TEST(reads_strings, set_up, tear_down)
{
    static const struct {
        const char *bytes;
        size_t length;
        uint8_t number;
        enum status status;
        const char *text;
    } cases[] = {
        { "\1\4\0\0A\0BC\0", 10, 0, STATUS_NOT_FOUND, "as it was" },
        { "\1\4\0\0A\0BC\0", 10, 1, STATUS_OK, "A" },
        { "\1\4\0\0A\0BC\0", 10, 2, STATUS_OK, "BC" },
        { "\1\4\0\0A\0BC\0", 10, 3, STATUS_INVALID, "as it was" },
        { "\1\4\0\0A\0BC\0", 10, 255, STATUS_INVALID, "as it was" },
        { "\1\4\0\0\0", 6, 1, STATUS_INVALID, "as it was" },
        { "\1\4\0\0A\0BC", 8, 1, STATUS_OK, "A" }, /* cut off */
        { "\1\4\0\0A\0BC", 8, 2, STATUS_INVALID, "as it was" },
        { "\1\4\0\0", 4, 1, STATUS_INVALID, "as it was" },
        { "\1\4\0\0  A B \0", 12, 1, STATUS_OK, "A B" },
        { "\1\4\0\0   \0", 9, 1, STATUS_OK, "" },
        { "\1\4\0\0\t~\x7f\xff\0", 10, 1, STATUS_OK, "?~??" },
        { "\1\4\0\0"
          "123456789\0",
          15, 1, STATUS_OK, "123456789" },
        { "\1\4\0\0"
          "1234567890\0",
          16, 1, STATUS_OK, "123456789" },
        { "\1\4\0\0"
          "A\0\0\2\4\0\0B\0",
          14, 2, STATUS_INVALID, "as it was" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t *copy = malloc(cases[i].length);
        struct smbios s = { .structures = copy,
                            .length = cases[i].length,
                            .n_structures = UINT32_MAX };
        struct smbios_cursor c = smbios_structures(&s);
        char text[10] = "as it was";

        memcpy(copy, cases[i].bytes, cases[i].length);
        assert_int_equal(smbios_string(&c, smbios_next(&c), cases[i].number, text, sizeof(text)),
                         cases[i].status);
        assert_string_equal(text, cases[i].text);
        free(copy);
    }
}

static void walk_damaged(void *bytes)
{
    bool ok;

    walk(bytes, sizeof(structures), UINT32_MAX, &ok);
}

TEST(survives_damage, set_up, tear_down)
{
    uint8_t bytes[sizeof(structures)];
    bool ok;

    memcpy(bytes, structures, sizeof(bytes));
    for (size_t length = 0; length < sizeof(bytes); length++)
        walk(bytes, length, UINT32_MAX, &ok);
    damage_bytes(bytes, sizeof(bytes), walk_damaged, bytes);
}

struct entry {
    uint64_t at;
    uint8_t *bytes;
    size_t length, checksum;
};

static void open_damaged(void *ctx)
{
    const struct entry *entry = ctx;
    struct smbios s;
    bool ok;

    mend_checksum(entry->bytes, entry->length, entry->checksum);
    if (open_at(entry->at, &s) == STATUS_OK)
        walk(s.structures, s.length, s.n_structures, &ok);
}

TEST(survives_damaged_entry_points, set_up, tear_down)
{
    struct entry entries[] = {
        { 0xf0000, add_entry_2(0xf0000, 31), 31, 4 },
        { 0xf0100, add_entry_3(0xf0100, 24), 24, 5 },
    };

    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        damage_bytes(entries[i].bytes, entries[i].length, open_damaged, &entries[i]);
}

TEST(reads_a_real_machine, set_up, tear_down)
{
    struct smbios s;
    bool ok;

    fake_add_q35(&machine.memory);
    assert_int_equal(open_at(0, &s), STATUS_OK);
    assert_int_equal(s.major, 2);
    assert_int_equal(s.minor, 8);
    assert_int_equal(s.length, 0x178);
    assert_int_equal(walk(s.structures, s.length, s.n_structures, &ok), 9);
    assert_true(ok);
    assert_int_equal(walk(s.structures, s.length, UINT32_MAX, &ok), 9); /* it ends with type 127 */
    assert_true(ok);
    assert_int_equal(machine.log.n, 0);
}
