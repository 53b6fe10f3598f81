// SPDX-License-Identifier: MIT
#include "acpi/mcfg.h"

#include "firmware/damage.h"
#include "firmware/q35.h"

#define HEAD_BYTES  44
#define ENTRY_BYTES 16

struct entry {
    uint64_t base;
    uint16_t segment;
    uint8_t first_bus, last_bus;
    uint32_t reserved;
} __attribute__((packed));
_Static_assert(sizeof(struct entry) == ENTRY_BYTES, "PCI Firmware 3.3, table 4-3");

/* A table with those entries, `cut` bytes short. */
static enum status read_one(const struct entry *entry, size_t n, size_t cut, struct mcfg *ret_mcfg)
{
    struct warnings warnings = fresh_warnings();
    size_t length = HEAD_BYTES + n * ENTRY_BYTES;
    struct acpi_header *table = calloc(1, length);
    enum status status;

    make_header(table, "MCFG", 1);
    if (n)
        memcpy((char *)table + HEAD_BYTES, entry, n * ENTRY_BYTES);
    table = realloc(table, length - cut);
    seal_table(table, length - cut);
    status = mcfg_read(table, &warnings, ret_mcfg);
    free(table);
    return status;
}

TEST(takes_segment_0)
{
    static const struct {
        struct entry entry[3];
        size_t n, cut;
        struct mcfg mcfg;
    } cases[] = {
        { { { 0xb0000000, 0, 0, 0xff, 0 } }, 1, 0, { 0xb0000000, 0, 0xff, false } },
        { { { 0xb0000000, 0, 1, 0x3f, ~0u } }, 1, 0, { 0xb0000000, 1, 0x3f, false } },
        { { { 0x80000000, 1, 0, 0xff, 0 }, { 0x90000000, 0, 0, 7, 0 } },
          2,
          0,
          { 0x90000000, 0, 7, true } },
        { { { 0x80000000, 0, 0, 9, 0 }, { 0x90000000, 0, 10, 19, 0 } },
          2,
          0,
          { 0x80000000, 0, 9, false } },
        { { { 0x80000000, 1, 0, 9, 0 } }, 1, 0, { 0, 0, 0, true } },
        { { { 0x80000000, 0, 0, 9, 0 }, { 0x90000000, 1, 0, 9, 0 } },
          2,
          1,
          { 0x80000000, 0, 9, false } },
        { { { 0 } }, 0, 0, { 0 } },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mcfg m;

        memset(&m, 0xff, sizeof(m));
        assert_int_equal(read_one(cases[i].entry, cases[i].n, cases[i].cut, &m), STATUS_OK);
        assert_int_equal(log_.n, 0);
        assert_int_equal(m.base, cases[i].mcfg.base);
        assert_int_equal(m.first_bus, cases[i].mcfg.first_bus);
        assert_int_equal(m.last_bus, cases[i].mcfg.last_bus);
        assert_int_equal(m.has_segments, cases[i].mcfg.has_segments);
    }
}

TEST(refuses_others)
{
    static const struct entry last = { UINT64_MAX - (1 << 28) + 1, 0, 0, 0xff, 0 };
    struct mcfg m = { .base = 7 };

    assert_int_equal(read_one(NULL, 0, 1, &m), STATUS_INVALID);
    assert_warned(&log_, 1, "43 bytes are too short");
    assert_int_equal(read_one(&last, 1, 0, &m), STATUS_INVALID);
    assert_warned(&log_, 1, "an invalid address");
    assert_int_equal(m.base, 7);
}

TEST(says_where_a_register_is)
{
    static const struct mcfg m = { 0xb0000000, 2, 9, false }, none = { 0 };

    assert_int_equal(mcfg_address(&m, 2, 0, 0, 0), 0xb0200000);
    assert_int_equal(mcfg_address(&m, 9, 31, 7, 0xffc), 0xb09ffffc);
    assert_int_equal(mcfg_address(&m, 5, 10, 4, 0x87c), 0xb055487c);
    assert_int_equal(mcfg_address(&m, 1, 0, 0, 0), 0);
    assert_int_equal(mcfg_address(&m, 10, 0, 0, 0), 0);
    assert_int_equal(mcfg_address(&none, 0, 0, 0, 0), 0);
}

READ_ANY(read_any, mcfg_read, &(struct mcfg){ 0 })

TEST(reads_a_real_machine)
{
    struct mcfg m;
    struct q35 q;

    q35_open(&q, "MCFG");
    assert_int_equal(mcfg_read(q.table, &q.warnings, &m), STATUS_OK);
    assert_int_equal(m.base, 0xb0000000);
    assert_int_equal(m.last_bus, 0xff);
    assert_false(m.has_segments);
    damage_table(q.table, q.table->length, "MCFG", read_any);
    fake_free(&q.memory);
}
