// SPDX-License-Identifier: MIT
#include "acpi/hest.h"

#include "firmware/damage.h"

#define MAX_BYTES 32768
#define STATUS_AT UINT64_C(0x7f000000)

/* Types and lengths of ACPI 6.5, 18.3.2. */
enum {
    EXCEPTION = 0,
    CORRECTED = 1,
    NMI = 2,
    ROOT = 6,
    DEVICE = 7,
    BRIDGE = 8,
    GHES = 9,
    GHES_2 = 10,
    DEFERRED = 11
};

static struct hest hest;
static uint8_t bytes[MAX_BYTES];
static size_t n_bytes;

static void put(uint8_t *at, uint64_t value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static int no_source(void **state)
{
    memset(bytes, 0, sizeof(bytes));
    make_header((void *)bytes, "HEST", 1);
    n_bytes = 40;
    return 0;
}

static uint8_t *add(uint16_t type, uint16_t id, size_t length)
{
    uint8_t *e = bytes + n_bytes;

    put(e, type, 2);
    put(e + 2, id, 2);
    n_bytes += length;
    put(bytes + 36, bytes[36] + 256u * bytes[37] + 1, 4);
    return e;
}

/* With banks of 28 bytes. */
static void add_checks(uint16_t type, uint8_t flags, uint8_t enabled, uint8_t banks)
{
    uint8_t *e = add(type, 1, (type == EXCEPTION ? 40 : 48) + 28u * banks);

    e[6] = flags;
    e[7] = enabled;
    e[type == EXCEPTION ? 32 : 44] = banks;
}

static void put_register(uint8_t *at, uint8_t space, uint8_t bits, uint8_t offset, uint8_t access,
                         uint64_t address)
{
    at[0] = space;
    at[1] = bits;
    at[2] = offset;
    at[3] = access;
    put(at + 4, address, 8);
}

static uint8_t *add_generic(uint16_t type, uint16_t id, uint32_t block_bytes)
{
    uint8_t *e = add(type, id, type == GHES ? 64 : 92);

    e[7] = 1;
    put_register(e + 20, 0, 64, 0, 4, STATUS_AT);
    put(e + 60, block_bytes, 4);
    if (type == GHES_2) {
        put_register(e + 64, 0, 64, 0, 4, STATUS_AT + 8);
        put(e + 76, ~UINT64_C(1), 8);
        put(e + 84, 1, 8);
    }
    return e;
}

static enum status read_all(size_t length)
{
    memset(&hest, 0x55, sizeof(hest));
    return READ_TABLE(hest_read, sealed(bytes, length), &hest);
}

TEST(who_is_first, no_source)
{
    static const struct {
        uint16_t type;
        uint8_t flags, enabled;
        bool expected[3];
    } cases[] = {
        { EXCEPTION, 1, 1, { true, false, false } },
        { CORRECTED, 1, 1, { false, true, false } },
        { DEFERRED, 5, 1, { false, false, true } },
        { EXCEPTION, 4, 1, { false, false, false } }, /* GHES_ASSIST */
        { CORRECTED, 0, 1, { false, false, false } },
        { CORRECTED, 1, 0, { false, false, false } },
        { NMI, 1, 1, { false, false, false } },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        no_source(NULL);
        if (cases[i].type == NMI)
            add(NMI, 1, 20);
        else
            add_checks(cases[i].type, cases[i].flags, cases[i].enabled, 3);
        assert_int_equal(read_all(n_bytes), STATUS_OK);
        assert_int_equal(log_.n, 0);
        assert_int_equal(hest.machine_checks_first, cases[i].expected[0]);
        assert_int_equal(hest.corrected_first, cases[i].expected[1]);
        assert_int_equal(hest.deferred_first, cases[i].expected[2]);
        assert_int_equal(hest.n_sources, 0);
    }
}

/* Behind each kind of source the next is found. */
TEST(every_length, no_source)
{
    uint8_t *e;

    add_checks(EXCEPTION, 0, 1, 0);
    add_checks(CORRECTED, 0, 1, 1);
    add(NMI, 0, 20);
    add(ROOT, 0, 48);
    add(DEVICE, 0, 44);
    add(BRIDGE, 0, 56);
    add_generic(GHES, 7, 4096);
    add_checks(DEFERRED, 0, 1, 255);
    add(12, 24, 24); /* of a later standard: with its length */
    e = add_generic(GHES_2, 8, 20);
    e[32] = 3; /* notified by SCI */
    assert_int_equal(read_all(n_bytes), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(hest.n_sources, 2);
    assert_int_equal(hest.source[0].id, 7);
    assert_int_equal(hest.source[0].block_bytes, 4096);
    assert_int_equal(hest.source[0].status.address, STATUS_AT);
    assert_int_equal(hest.source[0].notification, HEST_NOTIFY_POLLED);
    assert_false(hest.source[0].has_ack);
    assert_int_equal(hest.source[1].id, 8);
    assert_int_equal(hest.source[1].notification, 3);
    assert_int_equal(hest.source[1].block_bytes, 20);
    assert_true(hest.source[1].has_ack);
    assert_int_equal(hest.source[1].ack.address, STATUS_AT + 8);
    assert_int_equal(hest.source[1].ack_preserve, ~UINT64_C(1));
    assert_int_equal(hest.source[1].ack_write, 1);
}

TEST(sources_that_cannot_be_used, no_source)
{
    static const struct {
        unsigned at; /* of the source */
        uint64_t value;
        unsigned n;
        unsigned warnings, sources;
        const char *says;
    } cases[] = {
        { 7, 0, 1, 0, 0, NULL }, /* it is not enabled */
        { 20, 1, 1, 1, 0, "no usable address" },
        { 21, 32, 1, 0, 1, NULL },         /* the access is of 64 bits */
        { 23, 3, 1, 0, 1, NULL },          /* too small for the width: a known mistake */
        { 20, 0x01002000, 4, 0, 1, NULL }, /* 32 bits, by a byte: so are some servers' */
        { 20, 0x03002000, 4, 0, 1, NULL },
        { 20, 0x02001000, 4, 1, 0, "no usable address" }, /* 16 bits are no address, */
        { 21, 31, 1, 1, 0, "no usable address" },         /* nor 31 */
        { 23, 5, 1, 1, 0, "no usable address" },
        { 22, 1, 1, 1, 0, "no usable address" },
        { 24, 0, 8, 1, 0, "no usable address" },
        { 24, UINT64_MAX - 7, 8, 1, 0, "no usable address" },
        { 24, UINT64_MAX - 8, 8, 0, 1, NULL },
        { 60, 19, 4, 1, 0, "too short for a report" },
        { 60, UINT32_MAX, 4, 0, 1, NULL },
        { 64, 2, 1, 1, 0, "acknowledge register" },
        { 64, 1, 1, 1, 0, "acknowledge register" }, /* ports have no such address, nor 64 bits */
        { 65, 65, 1, 1, 0, "acknowledge register" },
        { 66, 64, 1, 1, 0, "acknowledge register" },
        { 68, 0, 8, 1, 0, "acknowledge register" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        no_source(NULL);
        put(add_generic(GHES_2, 8, 4096) + cases[i].at, cases[i].value, cases[i].n);
        assert_int_equal(read_all(n_bytes), STATUS_OK);
        assert_int_equal(hest.n_sources, cases[i].sources);
        assert_warned(&log_, cases[i].warnings, cases[i].says ? cases[i].says : "");
        if (hest.n_sources)
            assert_true(hest.source[0].block_bytes <= HEST_BLOCK_MAX);
    }
}

TEST(a_port_acknowledges, no_source)
{
    static const struct {
        uint64_t port;
        unsigned bits;
        bool is_usable;
    } cases[] = {
        { 1, 8, true },   { 0xffff, 32, true }, { 0x10000, 32, false },
        { 0, 32, false }, { 0xb2, 64, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        no_source(NULL);
        put_register(add_generic(GHES_2, 8, 4096) + 64, 1, (uint8_t)cases[i].bits, 0, 0,
                     cases[i].port);
        assert_int_equal(read_all(n_bytes), STATUS_OK);
        assert_int_equal(hest.n_sources == 1 && hest.source[0].has_ack, cases[i].is_usable);
    }
}

TEST(a_list_that_ends_too_early, no_source)
{
    add_generic(GHES, 7, 4096);
    add_generic(GHES, 8, 4096);
    for (size_t n = 40; n < n_bytes; n++) {
        assert_int_equal(read_all(n), STATUS_OK);
        assert_warned(&log_, 1, "after one of an unknown type or length");
        assert_int_equal(hest.n_sources, n >= 104);
    }
    put(bytes + 36, UINT32_MAX, 4);
    assert_int_equal(read_all(n_bytes), STATUS_OK);
    assert_warned(&log_, 1, ": 4294967293");
    assert_int_equal(hest.n_sources, 2);
    assert_int_equal(read_all(39), STATUS_INVALID);
    assert_warned(&log_, 1, "39 bytes are too short");
}

/* Bytes after the last source are none. */
TEST(no_more_than_it_says, no_source)
{
    no_source(NULL);
    add_generic(GHES, 7, 4096);
    add_generic(GHES, 8, 4096);
    put(bytes + 36, 1, 4);
    assert_int_equal(read_all(n_bytes), STATUS_OK);
    assert_int_equal(hest.n_sources, 1);
    assert_warned(&log_, 0, "");
}

TEST(an_unknown_type_ends_it, no_source)
{
    static const uint16_t unknown[] = { 3, 4, 5 };

    for (size_t i = 0; i < 3; i++) {
        no_source(NULL);
        add_generic(GHES, 7, 4096);
        add(unknown[i], 0, 64);
        add_generic(GHES, 8, 4096);
        assert_int_equal(read_all(n_bytes), STATUS_OK);
        assert_warned(&log_, 1, "unknown type or length, ignored: 2");
        assert_int_equal(hest.n_sources, 1);
    }
    no_source(NULL);
    add(12, 3, 64); /* shorter than its own head: it would never end */
    assert_int_equal(read_all(n_bytes), STATUS_OK);
    assert_warned(&log_, 1, "unknown type or length");
}

TEST(no_more_than_fit, no_source)
{
    for (unsigned i = 0; i < HEST_SOURCES_MAX + 2; i++)
        add_generic(GHES, (uint16_t)i, 4096);
    assert_int_equal(read_all(n_bytes), STATUS_OK);
    assert_warned(&log_, 1, "more error sources than can be read during the run, ignored: 2");
    assert_int_equal(hest.n_sources, HEST_SOURCES_MAX);
    assert_int_equal(hest.source[HEST_SOURCES_MAX - 1].id, HEST_SOURCES_MAX - 1);
}

/* Bytes beside a narrow address are not part of it. */
TEST(where_the_block_is)
{
    static const struct {
        uint8_t bits;
        uint64_t expected;
    } cases[] = {
        { 0, UINT64_C(0x12345678bf796650) },
        { 32, 0xbf796650 },
        { 33, 0xbf796650 },
        { 48, UINT64_C(0x5678bf796650) },
        { 64, UINT64_C(0x12345678bf796650) },
        { 255, UINT64_C(0x12345678bf796650) },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hest_source s = { .status = { .bit_width = cases[i].bits } };

        assert_int_equal(hest_block_address(&s, UINT64_C(0x12345678bf796650)), cases[i].expected);
    }
}

TEST(what_is_acknowledged)
{
    static const struct {
        uint8_t offset;
        uint64_t preserve, write, old, expected;
    } cases[] = {
        { 0, ~UINT64_C(1), 1, 0, 1 },         { 0, ~UINT64_C(1), 1, 0xff00, 0xff01 },
        { 0, 0, 7, UINT64_MAX, 7 },           { 4, 3, 4, 0xff, 0x70 },
        { 0, UINT64_MAX, 0, 0x1234, 0x1234 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hest_source s = { .ack = { .bit_offset = cases[i].offset },
                                 .ack_preserve = cases[i].preserve,
                                 .ack_write = cases[i].write };

        assert_int_equal(hest_ack_value(&s, cases[i].old), cases[i].expected);
    }
}

TEST(register_widths)
{
    static const struct {
        uint8_t width, offset, access;
        unsigned expected;
    } cases[] = {
        { 8, 0, 0, 1 },  { 8, 0, 1, 1 },  { 16, 0, 2, 2 }, { 32, 0, 3, 4 },  { 64, 0, 4, 8 },
        { 64, 0, 0, 8 }, { 1, 7, 1, 1 },  { 1, 8, 1, 0 },  { 2, 7, 1, 0 },   { 0, 0, 0, 0 },
        { 12, 0, 0, 0 }, { 64, 0, 1, 8 }, { 64, 1, 4, 0 }, { 255, 0, 4, 0 }, { 8, 0, 255, 0 },
        { 0, 64, 4, 0 }, { 0, 63, 4, 8 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct acpi_register r = { .bit_width = cases[i].width,
                                   .bit_offset = cases[i].offset,
                                   .access_size = cases[i].access };

        assert_int_equal(hest_register_bytes(&r), cases[i].expected);
    }
}

static void read_any(const struct acpi_header *table, const struct warnings *warnings)
{
    hest_read(table, warnings, &hest);
    assert_true(hest.n_sources <= 3);
}

TEST(survives_damage, no_source)
{
    add_checks(EXCEPTION, 1, 1, 1);
    add_checks(CORRECTED, 1, 1, 1);
    add_generic(GHES, 7, 4096);
    add_generic(GHES_2, 8, 4096);
    hest.n_sources = 0;
    seal_table(bytes, n_bytes);
    damage_table(bytes, n_bytes, "HEST", read_any);
}
