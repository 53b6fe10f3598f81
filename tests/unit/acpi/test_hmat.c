// SPDX-License-Identifier: MIT
#include "acpi/hmat.h"

#include "firmware/builder.h"
#include "firmware/damage.h"

static struct builder b;

static struct hmat hmat;
static struct warning_log log_;
static struct acpi_header *read_table; /* the HMAT points into it */

static void begin(uint8_t revision)
{
    builder_begin(&b, "HMAT", revision, 40);
}

/* A structure of this type with room for what follows its head; returns where it begins. */
static uint8_t *add(uint16_t type, uint32_t length)
{
    uint8_t *at = b.bytes + b.length;

    assert_true(b.length + length <= sizeof(b.bytes));
    memcpy(at, &type, 2);
    memcpy(at + 4, &length, 4);
    b.length += length;
    return at;
}

static void put_16(uint8_t *at, uint16_t value)
{
    memcpy(at, &value, 2);
}

static void put_32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, 4);
}

static void put_64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, 8);
}

/* Two initiators, three targets. */
struct matrix {
    uint32_t initiator[2], target[3];
    uint16_t entry[2][3];
};

static uint8_t *add_matrix(uint8_t hierarchy, uint8_t data, uint64_t unit, const struct matrix *m)
{
    uint8_t *e = add(1, 32 + sizeof(*m));

    e[8] = hierarchy;
    e[9] = data;
    put_32(e + 12, 2);
    put_32(e + 16, 3);
    put_64(e + 24, unit);
    memcpy(e + 32, m, sizeof(*m));
    return e;
}
_Static_assert(sizeof(struct matrix) == 4 * (2 + 3) + 2 * 2 * 3, "as in the table");

static void add_cache(uint32_t domain, uint64_t size_bytes)
{
    uint8_t *e = add(2, 32);

    put_32(e + 8, domain);
    put_64(e + 16, size_bytes);
}

static enum status read_built(void)
{
    struct warnings warnings = warnings_to(&log_);

    free(read_table);
    read_table = builder_table(&b);
    memset(&hmat, 0xaa, sizeof(hmat));
    memset(&log_, 0, sizeof(log_));
    return hmat_read(read_table, &warnings, &hmat);
}

static const struct matrix plain = { { 7, 0x01020304 },
                                     { 7, 9, 0x01020304 },
                                     { { 5, 10, 30 }, { 11, 0, 0xffff } } };

TEST(reads_a_matrix)
{
    begin(2);
    add_matrix(0, HMAT_ACCESS_LATENCY, 1000, &plain);
    add_matrix(0, HMAT_ACCESS_BANDWIDTH, 64, &plain);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(hmat_latency_ps(&hmat, HMAT_READ, 7, 7), 5000);
    assert_int_equal(hmat_latency_ps(&hmat, HMAT_WRITE, 7, 9), 10000);
    assert_int_equal(hmat_latency_ps(&hmat, HMAT_READ, 7, 0x01020304), 30000);
    assert_int_equal(hmat_latency_ps(&hmat, HMAT_READ, 0x01020304, 7), 11000);
    assert_int_equal(hmat_latency_ps(&hmat, HMAT_READ, 0x01020304, 9), 0); /* not told */
    assert_int_equal(hmat_latency_ps(&hmat, HMAT_READ, 0x01020304, 0x01020304), 0);
    assert_int_equal(hmat_latency_ps(&hmat, HMAT_READ, 9, 7), 0); /* no initiator */
    assert_int_equal(hmat_latency_ps(&hmat, HMAT_READ, 7, 8), 0); /* no target */
    assert_int_equal(hmat_bandwidth_mb_s(&hmat, HMAT_READ, 7, 9), 640);
    assert_int_equal(hmat_bandwidth_mb_s(&hmat, HMAT_WRITE, 0x01020304, 7), 704);
}

TEST(tells_reads_from_writes)
{
    begin(2);
    add_matrix(0, HMAT_ACCESS_LATENCY, 1, &plain);
    add_matrix(0, HMAT_READ_LATENCY, 2, &plain);
    add_matrix(0, HMAT_WRITE_LATENCY, 3, &plain);
    add_matrix(0, HMAT_ACCESS_BANDWIDTH, 4, &plain);
    add_matrix(0, HMAT_READ_BANDWIDTH, 5, &plain);
    add_matrix(0, HMAT_WRITE_BANDWIDTH, 6, &plain);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(hmat_latency_ps(&hmat, HMAT_READ, 7, 7), 10);
    assert_int_equal(hmat_latency_ps(&hmat, HMAT_WRITE, 7, 7), 15);
    assert_int_equal(hmat_bandwidth_mb_s(&hmat, HMAT_READ, 7, 7), 25);
    assert_int_equal(hmat_bandwidth_mb_s(&hmat, HMAT_WRITE, 7, 7), 30);
}

/* The first that tells of a pair counts, and caches do not. */
TEST(takes_memory_itself)
{
    struct matrix first = plain, second = plain;
    first.entry[0][0] = 0;
    second.entry[0][1] = 99;
    begin(2);
    for (uint8_t hierarchy = 1; hierarchy <= 3; hierarchy++)
        add_matrix(hierarchy, HMAT_READ_LATENCY, 1000, &plain);
    add_matrix(0, HMAT_READ_LATENCY, 1, &first);
    add_matrix(0x30, HMAT_READ_LATENCY, 1, &second); /* of small, scattered transfers */
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(hmat.n_localities, 2);
    assert_int_equal(hmat_latency_ps(&hmat, HMAT_READ, 7, 7), 5);
    assert_int_equal(hmat_latency_ps(&hmat, HMAT_READ, 7, 9), 10);
}

/* ACPI 6.2 counts tenths of a nanosecond or of an MB/s. */
TEST(reads_revision_1)
{
    begin(1);
    add_matrix(0, HMAT_ACCESS_LATENCY, 100, &plain);
    add_matrix(0, HMAT_ACCESS_BANDWIDTH, 100, &plain);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(hmat_latency_ps(&hmat, HMAT_READ, 7, 7), 50000);
    assert_int_equal(hmat_bandwidth_mb_s(&hmat, HMAT_READ, 7, 7), 50);
}

TEST(finds_the_largest_cache)
{
    begin(2);
    add_cache(2, 16 * MIB);
    add_cache(2, 64 * MIB);
    add_cache(2, 32 * MIB);
    add_cache(3, 128 * MIB);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(hmat.n_caches, 4);
    assert_int_equal(hmat_side_cache_bytes(&hmat, 1), 0);
    assert_int_equal(hmat_side_cache_bytes(&hmat, 2), 64 * MIB);
    assert_int_equal(hmat_side_cache_bytes(&hmat, 3), 128 * MIB);
}

/* What memory is attached to: known, and passed over. */
TEST(passes_over_attributes)
{
    begin(2);
    put_16(add(0, 40) + 8, 1);
    add_cache(2, 16 * MIB);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(hmat.n_caches, 1);
}

TEST(answers_without_a_table)
{
    static const struct hmat none;

    assert_int_equal(hmat_latency_ps(&none, HMAT_READ, 0, 0), 0);
    assert_int_equal(hmat_bandwidth_mb_s(&none, HMAT_READ, 0, 0), 0);
    assert_int_equal(hmat_side_cache_bytes(&none, 0), 0);
}

/* Each costs itself and a warning; the matrix after it counts. */
TEST(drops_broken_structures)
{
    static const struct {
        uint32_t n_initiators, n_targets;
        uint64_t unit;
        bool ok;
    } cases[] = {
        { 2, 3, 1, true },
        { 1, 3, 1, true }, /* room is left */
        { 2, 4, 1, false },
        { 3, 3, 1, false },
        { 0, 0, 1, true },
        { 0xffffffff, 0xffffffff, 1, false },
        { 0x80000000, 0x80000000, 1, false },
        { 0xb8a2b471, 0xb17953a5, 1, false }, /* the lists' bytes are 2 modulo 2^64 */
        { 0, 0x40000000, 1, false },
        { 2, 3, 0, false },
        { 2, 3, UINT64_C(1000000000000), true },
        { 2, 3, UINT64_C(1000000000001), false },
        { 2, 3, UINT64_MAX, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t *e;

        begin(2);
        e = add_matrix(0, HMAT_WRITE_LATENCY, cases[i].unit, &plain);
        put_32(e + 12, cases[i].n_initiators);
        put_32(e + 16, cases[i].n_targets);
        add_matrix(0, HMAT_READ_LATENCY, 1, &plain);
        assert_int_equal(read_built(), STATUS_OK);
        assert_int_equal(hmat_latency_ps(&hmat, HMAT_READ, 7, 7), 5);
        if (cases[i].ok) {
            assert_int_equal(hmat.n_localities, 2);
            assert_int_equal(log_.n, 0);
        } else {
            assert_int_equal(hmat.n_localities, 1);
            assert_warned(&log_, 1, "malformed structures, ignored: 1");
        }
    }
}

TEST(drops_short_structures)
{
    begin(2);
    add(1, 31);
    put_64(add(2, 31) + 16, MIB);
    add_cache(1, 0); /* of no size */
    add_cache(1, MIB);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(hmat.n_localities, 0);
    assert_int_equal(hmat.n_caches, 1);
    assert_warned(&log_, 1, "malformed structures, ignored: 3");
}

TEST(passes_over_unknown_types)
{
    begin(2);
    add(3, 8);
    add(0xffff, 100);
    add_matrix(0, HMAT_DATA_KINDS, 1, &plain);
    add_matrix(4, HMAT_READ_LATENCY, 1, &plain);
    add_cache(1, MIB);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(hmat.n_localities, 0);
    assert_int_equal(hmat.n_caches, 1);
    assert_warned(&log_, 1, "structures of unknown types, ignored: 4");
}

TEST(stops_at_an_impossible_length)
{
    static const uint32_t lengths[] = { 0, 1, 7, 33, 0xffffffff };

    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        begin(2);
        add_cache(1, MIB);
        put_32(add(2, 32) + 4, lengths[i]);
        assert_int_equal(read_built(), STATUS_OK);
        assert_int_equal(hmat.n_caches, 1);
        assert_warned(&log_, 1, "bytes not read: 32");
    }
}

TEST(says_what_does_not_fit)
{
    for (uint32_t extra = 0; extra < 2; extra++) {
        begin(2);
        for (uint32_t i = 0; i < HMAT_LOCALITIES_MAX + extra; i++)
            add_matrix(0, HMAT_READ_LATENCY, 1, &plain);
        for (uint32_t i = 0; i < HMAT_CACHES_MAX + extra; i++)
            add_cache(i, MIB);
        assert_int_equal(read_built(), STATUS_OK);
        assert_int_equal(hmat.n_localities, HMAT_LOCALITIES_MAX);
        assert_int_equal(hmat.n_caches, HMAT_CACHES_MAX);
        if (extra)
            assert_warned(&log_, 1, "beyond okram's limit, ignored: 2");
        else
            assert_int_equal(log_.n, 0);
    }
}

TEST(refuses_a_table_without_its_header)
{
    begin(2);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(log_.n, 0);
    b.length = 39;
    assert_int_equal(read_built(), STATUS_INVALID);
    assert_int_equal(hmat.revision, 0xaaaaaaaa);
    assert_warned(&log_, 1, "39 bytes are too short");
}

static void read_any(const struct acpi_header *table, const struct warnings *warnings)
{
    if (hmat_read(table, warnings, &hmat) != STATUS_OK)
        return;
    for (uint32_t from = 0; from < 4; from++) {
        for (uint32_t to = 0; to < 4; to++) {
            hmat_latency_ps(&hmat, HMAT_READ, from, to);
            hmat_bandwidth_mb_s(&hmat, HMAT_WRITE, from, to);
        }
        hmat_side_cache_bytes(&hmat, from);
    }
}

/* The machine of tests/data/qemu-q35-hmat, and what its QEMU was told. */
TEST(reads_a_real_machine)
{
    static const uint64_t ns[2][3] = { { 5, 10, 30 }, { 10, 5, 20 } };
    static const uint64_t mb_s[2][3] = { { 200, 100, 30 }, { 100, 200, 50 } };
    struct fake_memory memory = { 0 };
    struct phys_reader reader = fake_reader(&memory);
    struct warning_log log = { 0 };
    struct warnings warnings = warnings_to(&log);
    const struct acpi_header *table;
    struct acpi acpi;

    fake_add_file(&memory, 0xf59e0, "tests/data/qemu-q35-hmat/f59e0-rsdp.bin");
    fake_add_file(&memory, 0x1ffe239b, "tests/data/qemu-q35-hmat/1ffe239b-acpi.bin");
    assert_int_equal(acpi_open(&reader, 0xf59e0, &warnings, &acpi), STATUS_OK);
    assert_warned(&log, 1, "unreadable memory"); /* of tables that are not among the files */
    assert_int_equal(acpi_find(&acpi, "HMAT", &warnings, &table), STATUS_OK);
    assert_int_equal(hmat_read(table, &warnings, &hmat), STATUS_OK);
    assert_int_equal(log.n, 1);
    for (uint32_t from = 0; from < 2; from++) {
        for (uint32_t to = 0; to < 3; to++) {
            assert_int_equal(hmat_latency_ps(&hmat, HMAT_READ, from, to), ns[from][to] * 1000);
            assert_int_equal(hmat_bandwidth_mb_s(&hmat, HMAT_WRITE, from, to), mb_s[from][to]);
        }
    }
    assert_int_equal(hmat_latency_ps(&hmat, HMAT_READ, 2, 0), 0);
    assert_int_equal(hmat_side_cache_bytes(&hmat, 2), 16 * MIB);
    damage_table(table, table->length, "HMAT", read_any);
    fake_free(&memory);
}

int group_tear_down(void **state)
{
    free(read_table);
    return 0;
}
