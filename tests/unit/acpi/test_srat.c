// SPDX-License-Identifier: MIT
#include "acpi/srat.h"
#include "firmware/builder.h"
#include "firmware/damage.h"
#include "firmware/q35.h"

static struct builder b;

static void begin(uint8_t revision)
{
    builder_begin(&b, "SRAT", revision, 48);
}

static void add_cpu(uint8_t apic_id, uint32_t domain, uint8_t flags)
{
    uint8_t e[16] = { 0, 16, (uint8_t)domain, apic_id, flags };

    e[9] = (uint8_t)(domain >> 8);
    e[10] = (uint8_t)(domain >> 16);
    e[11] = (uint8_t)(domain >> 24);
    builder_add(&b, e, sizeof(e));
}

static void add_x2apic(uint32_t apic_id, uint32_t domain, uint32_t flags)
{
    uint8_t e[24] = { 2, 24 };

    memcpy(e + 4, &domain, 4);
    memcpy(e + 8, &apic_id, 4);
    memcpy(e + 12, &flags, 4);
    builder_add(&b, e, sizeof(e));
}

static void add_memory(uint64_t base, uint64_t size, uint32_t domain, uint32_t flags)
{
    uint8_t e[40] = { 1, 40 };

    memcpy(e + 2, &domain, 4);
    memcpy(e + 8, &base, 8);
    memcpy(e + 16, &size, 8);
    memcpy(e + 28, &flags, 4);
    builder_add(&b, e, sizeof(e));
}

static struct srat srat;

static enum status read_built(void)
{
    memset(&srat, 0xaa, sizeof(srat));
    return READ_TABLE(srat_read, builder_table(&b), &srat);
}

static void assert_memory(size_t i, uint64_t base, uint64_t size, uint32_t domain)
{
    assert_true(i < srat.n_memory);
    assert_int_equal(srat.memory[i].span.base, base);
    assert_int_equal(srat.memory[i].span.size, size);
    assert_int_equal(srat.memory[i].domain, domain);
}

TEST(reads_cpus_and_memory)
{
    static const uint8_t initiator[32] = { 5, 32, 0, 0, 9 };
    begin(3);
    add_memory(0x100000000, 256 * MIB, 0x01020304, 1);
    add_memory(0, 512 * MIB, 0, 1);
    builder_add(&b, initiator, sizeof(initiator));
    add_cpu(7, 0x01020304, 1);
    add_x2apic(0x12345, 0xfffffff0, 1);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(srat.n_memory, 2); /* sorted */
    assert_memory(0, 0, 512 * MIB, 0);
    assert_memory(1, 0x100000000, 256 * MIB, 0x01020304);
    assert_int_equal(srat.n_cpus, 2);
    assert_int_equal(srat.cpu[0].apic_id, 7);
    assert_int_equal(srat.cpu[0].domain, 0x01020304);
    assert_int_equal(srat.cpu[1].apic_id, 0x12345);
    assert_int_equal(srat.cpu[1].domain, 0xfffffff0);
}

TEST(takes_8_bits_in_revision_1)
{
    for (uint8_t revision = 0; revision < 4; revision++) {
        uint32_t domain = revision < 2 ? 0x04 : 0x01020304;
        begin(revision);
        add_cpu(7, 0x01020304, 1);
        add_memory(0, MIB, 0x01020304, 1);
        assert_int_equal(read_built(), STATUS_OK);
        assert_int_equal(srat.cpu[0].domain, domain);
        assert_memory(0, 0, MIB, domain);
    }
}

TEST(uses_enabled_entries_only)
{
    begin(3);
    add_cpu(1, 1, 0);
    add_x2apic(2, 1, 0);
    add_memory(0, MIB, 1, 0);
    add_memory(0, MIB, 1, 2);       /* hot-pluggable, not enabled */
    add_memory(2 * MIB, 0, 1, 3);   /* hot-pluggable and empty */
    add_memory(4 * MIB, MIB, 1, 3); /* a server's modules are all hot-pluggable */
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(srat.n_cpus, 0);
    assert_int_equal(srat.n_memory, 1);
    assert_memory(0, 4 * MIB, MIB, 1);
}

TEST(separates_ranges_that_meet)
{
    begin(3);
    add_memory(6 * MIB, 4 * MIB, 2, 1); /* begins inside the next */
    add_memory(0, 8 * MIB, 1, 1);
    add_memory(2 * MIB, MIB, 3, 1);            /* wholly inside */
    add_memory(10 * MIB, MIB, 4, 1);           /* only touches */
    add_memory(10 * MIB, 2 * MIB, 5, 1);       /* the same base, listed later */
    add_memory(UINT64_MAX - 4095, 4096, 6, 1); /* the last page of all */
    assert_int_equal(read_built(), STATUS_OK);
    assert_warned(&log_, 1, "overlapping memory ranges, truncated: 3");
    assert_int_equal(srat.n_memory, 5);
    assert_memory(0, 0, 8 * MIB, 1);
    assert_memory(1, 8 * MIB, 2 * MIB, 2);
    assert_memory(2, 10 * MIB, MIB, 4);
    assert_memory(3, 11 * MIB, MIB, 5);
    assert_memory(4, UINT64_MAX - 4095, 4096, 6);
}

TEST(drops_broken_entries)
{
    begin(3);
    builder_add(&b, (uint8_t[15]){ 0, 15, 0, 1, 1 }, 15);
    builder_add(&b, (uint8_t[23]){ 2, 23, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1 }, 23);
    builder_add(&b, (uint8_t[39]){ 1, 39 }, 39);
    add_memory(UINT64_MAX - 4095, 4097, 1, 1); /* wraps */
    add_memory(UINT64_MAX - 4095, 4097, 1, 0); /* not in use */
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(srat.n_cpus, 0);
    assert_int_equal(srat.n_memory, 0);
    assert_warned(&log_, 1, "malformed entries, ignored: 4");

    begin(3);
    add_cpu(1, 1, 1);
    builder_add(&b, (uint8_t[16]){ 0, 1 }, 16);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(srat.n_cpus, 1);
    assert_warned(&log_, 1, "bytes not read: 16");
}

/* Those of ACPI 6.5 that are about other things are none of ours; later ones are unknown. */
TEST(passes_over_other_types)
{
    for (unsigned type = 3; type < 256; type++) {
        uint8_t e[16] = { (uint8_t)type, 16 };
        begin(3);
        builder_add(&b, e, sizeof(e));
        builder_add(&b, e, sizeof(e));
        add_cpu(1, 1, 1);
        assert_int_equal(read_built(), STATUS_OK);
        assert_int_equal(srat.n_cpus, 1);
        if (type <= 6)
            assert_int_equal(log_.n, 0);
        else
            assert_warned(&log_, 1, "entries of unknown types, ignored: 2");
    }
}

TEST(a_cpu_may_be_listed_by_both_ids)
{
    begin(3);
    add_cpu(1, 2, 1);
    add_cpu(3, 4, 1);
    add_x2apic(1, 2, 1);
    add_x2apic(3, 4, 1);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(srat.n_cpus, 2);
}

TEST(drops_cpus_named_twice)
{
    begin(3);
    add_cpu(1, 1, 1);
    add_x2apic(1, 2, 1);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(srat.n_cpus, 1);
    assert_int_equal(srat.cpu[0].domain, 1);
    assert_warned(&log_, 1, "in another proximity domain, which is ignored: 1");
}

TEST(says_what_does_not_fit)
{
    for (uint32_t extra = 0; extra < 2; extra++) {
        begin(3);
        for (uint32_t i = 0; i < SRAT_CPUS_MAX + extra; i++)
            add_x2apic(i, i, 1);
        for (uint32_t i = 0; i < SRAT_MEMORY_MAX + extra; i++)
            add_memory(i * MIB, MIB, i, 1);
        assert_int_equal(read_built(), STATUS_OK);
        assert_int_equal(srat.n_cpus, SRAT_CPUS_MAX);
        assert_int_equal(srat.n_memory, SRAT_MEMORY_MAX);
        assert_memory(SRAT_MEMORY_MAX - 1, (SRAT_MEMORY_MAX - 1) * MIB, MIB, SRAT_MEMORY_MAX - 1);
        if (extra == 0)
            assert_int_equal(log_.n, 0);
        else
            assert_warned(&log_, 2,
                          "memory ranges beyond the first 512, not assigned to a node: 1");
    }
    assert_warned(&log_, 2, "CPUs beyond the first 1024, not assigned to a node: 1");
}

TEST(refuses_a_table_without_its_header)
{
    begin(3);
    assert_int_equal(read_built(), STATUS_OK);
    b.length = 47;
    assert_int_equal(read_built(), STATUS_INVALID);
    assert_int_equal(srat.n_cpus, 0xaaaaaaaaaaaaaaaa);
    assert_warned(&log_, 1, "47 bytes are too short");
}

static void read_any(const struct acpi_header *table, const struct warnings *warnings)
{
    if (srat_read(table, warnings, &srat) != STATUS_OK)
        return;
    assert_true(srat.n_cpus <= SRAT_CPUS_MAX);
    assert_true(srat.n_memory <= SRAT_MEMORY_MAX);
    for (size_t i = 0; i < srat.n_memory; i++) {
        struct span s = srat.memory[i].span;

        assert_true(s.size > 0);
        if (i)
            assert_true(s.base - srat.memory[i - 1].span.base >= srat.memory[i - 1].span.size);
    }
}

TEST(survives_damage)
{
    begin(3);
    add_cpu(1, 1, 1);
    add_memory(0, 8 * MIB, 1, 1);
    add_memory(8 * MIB, 8 * MIB, 2, 1);
    add_x2apic(2, 2, 1);
    seal_table(b.bytes, b.length);
    damage_table(b.bytes, b.length, "SRAT", read_any);
}

TEST(reads_a_real_machine)
{
    struct q35 q;

    q35_open(&q, "SRAT");
    assert_int_equal(srat_read(q.table, &q.warnings, &srat), STATUS_OK);
    assert_int_equal(q.log.n, 0);
    assert_int_equal(srat.n_cpus, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(srat.cpu[i].apic_id, i);
        assert_int_equal(srat.cpu[i].domain, i / 2);
    }
    assert_int_equal(srat.n_memory, 3);
    assert_memory(0, 0, 0xa0000, 0);
    assert_memory(1, MIB, 255 * MIB, 0);
    assert_memory(2, 256 * MIB, 256 * MIB, 1);
    damage_table(q.table, q.table->length, "SRAT", read_any);
    fake_free(&q.memory);
}

/* The table of n localities is kept by *ret_table, for the caller to free. */
static enum status read_matrix(uint64_t n, const uint8_t *distance, size_t n_distances,
                               struct slit *ret_slit, uint8_t **ret_table)
{
    struct warnings warnings = fresh_warnings();
    size_t length = 44 + n_distances;
    uint8_t *table = malloc(length);

    make_header((void *)table, "SLIT", 1);
    memcpy(table + 36, &n, 8);
    memcpy(table + 44, distance, n_distances);
    seal_table(table, length);
    *ret_table = table;
    return slit_read((void *)table, &warnings, ret_slit);
}

TEST(reads_row_by_row)
{
    static const uint8_t matrix[] = { 10, 21, 31, 22, 10, 255, 10, 33, 10 };
    struct slit slit;
    uint8_t *table;

    assert_int_equal(read_matrix(3, matrix, sizeof(matrix), &slit, &table), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(slit.n_localities, 3);
    for (uint32_t from = 0; from < 3; from++) {
        for (uint32_t to = 0; to < 3; to++)
            assert_int_equal(slit_distance(&slit, from, to), matrix[from * 3 + to]);
    }
    assert_int_equal(slit_distance(&slit, 2, 3), SLIT_REMOTE);
    assert_int_equal(slit_distance(&slit, 3, 0), SLIT_REMOTE);
    assert_int_equal(slit_distance(&slit, 3, 3), SLIT_LOCAL);
    free(table);
}

TEST(answers_without_a_table)
{
    struct slit slit = { 0 };

    assert_int_equal(slit_distance(&slit, 0, 0), SLIT_LOCAL);
    assert_int_equal(slit_distance(&slit, 0, 1), SLIT_REMOTE);
}

TEST(refuses_too_short_a_table)
{
    static const struct {
        uint64_t n;
        uint8_t distance[5];
        size_t length;
        bool ok;
    } cases[] = {
        { 0, { 0 }, 0, true },
        { 1, { 10 }, 1, true },
        { 2, { 10, 20, 20, 10, 0 }, 5, true }, /* longer than it needs */
        { 2, { 10, 20, 20, 10 }, 4, true },
        { 2, { 10, 20, 20 }, 3, false },
        { UINT64_C(1) << 32, { 10 }, 1, false }, /* its square is 0 modulo 2^64 */
        { UINT64_MAX, { 10 }, 1, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct slit slit = { .n_localities = 77 };
        uint8_t *table;
        enum status status =
            read_matrix(cases[i].n, cases[i].distance, cases[i].length, &slit, &table);

        if (cases[i].ok) {
            assert_int_equal(status, STATUS_OK);
            assert_int_equal(slit.n_localities, cases[i].n);
            assert_int_equal(log_.n, 0);
        } else {
            assert_int_equal(status, STATUS_INVALID);
            assert_int_equal(slit.n_localities, 77);
            assert_warned(&log_, 1, "do not fit");
        }
        free(table);
    }
}

/* One distance that cannot be costs a warning, and only itself. */
TEST(replaces_wrong_distances)
{
    static const struct {
        uint8_t distance[4], taken[4];
        const char *text; /* NULL: good */
    } cases[] = {
        { { 10, 10, 255, 10 }, { 10, 10, 255, 10 }, NULL },
        { { 10, 9, 33, 10 }, { 10, 20, 33, 10 }, "1, the first 9 from node 0 to 1" },
        { { 10, 33, 0, 10 }, { 10, 33, 20, 10 }, "1, the first 0 from node 1 to 0" },
        { { 10, 33, 34, 11 }, { 10, 33, 34, 10 }, "1, the first 11 from node 1 to 1" },
        { { 0, 0, 0, 0 }, { 10, 20, 20, 10 }, "4, the first 0 from node 0 to 0" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct slit slit;
        uint8_t *table;

        assert_int_equal(read_matrix(2, cases[i].distance, 4, &slit, &table), STATUS_OK);
        if (cases[i].text)
            assert_warned(&log_, 1, cases[i].text);
        else
            assert_int_equal(log_.n, 0);
        for (uint32_t cell = 0; cell < 4; cell++)
            assert_int_equal(slit_distance(&slit, cell / 2, cell % 2), cases[i].taken[cell]);
        free(table);
    }
}

static void read_any_slit(const struct acpi_header *table, const struct warnings *warnings)
{
    struct slit slit;

    if (slit_read(table, warnings, &slit) != STATUS_OK)
        return;
    for (uint32_t from = 0; from <= slit.n_localities; from++) {
        for (uint32_t to = 0; to <= slit.n_localities; to++)
            assert_true(slit_distance(&slit, from, to) >= SLIT_LOCAL);
    }
}

TEST(reads_distances_of_a_real_machine)
{
    struct q35 q;
    struct slit slit;

    q35_open(&q, "SLIT");
    assert_int_equal(slit_read(q.table, &q.warnings, &slit), STATUS_OK);
    assert_int_equal(q.log.n, 0);
    assert_int_equal(slit.n_localities, 2);
    assert_int_equal(slit_distance(&slit, 0, 1), 21);
    assert_int_equal(slit_distance(&slit, 1, 0), 21);
    assert_int_equal(slit_distance(&slit, 1, 1), 10);
    damage_table(q.table, q.table->length, "SLIT", read_any_slit);
    fake_free(&q.memory);
}
