// SPDX-License-Identifier: MIT
/* The nodes of real machines, by tables rebuilt from what is public of them (tests/data/README.md).
 */
#include "acpi/madt.h"
#include "acpi/srat.h"
#include "firmware/fake.h"
#include "memory/nodes.h"

static struct fake_memory memory;
static struct madt madt;
static struct srat srat;
static struct node_map map;

static const struct acpi_header *table(const char *machine, const char *signature)
{
    struct phys_reader reader = fake_reader(&memory);
    struct warnings warnings = warnings_to(&log_);
    const struct acpi_header *found;
    char path[128];

    snprintf(path, sizeof(path), "tests/data/rebuilt/%s.%c%c%c%c", machine, signature[0] | 0x20,
             signature[1] | 0x20, signature[2] | 0x20, signature[3] | 0x20);
    fake_free(&memory);
    fake_add_file(&memory, 0x1000, path);
    assert_int_equal(acpi_table_at(&reader, 0x1000, signature, &warnings, &found), STATUS_OK);
    return found;
}

static void read_srat(const char *machine)
{
    struct warnings warnings = fresh_warnings();

    assert_int_equal(srat_read(table(machine, "SRAT"), &warnings, &srat), STATUS_OK);
    assert_int_equal(log_.n, 0);
}

/* Every CPU that the SRAT names is there. */
static void build(const struct span *ram, size_t n_ram)
{
    struct warnings warnings = warnings_to(&log_);
    uint32_t apic_ids[SRAT_CPUS_MAX];

    for (size_t i = 0; i < srat.n_cpus; i++)
        apic_ids[i] = srat.cpu[i].apic_id;
    nodes_build(&(struct node_parts){ &srat, ram, n_ram, apic_ids, srat.n_cpus }, &warnings, &map);
    assert_int_equal(log_.n, 0);
}

TEST(an_epyc_of_eight_nodes)
{
    static const struct span ram[] = {
        { 0, 0xa0000 },
        { MIB, 3 * GIB - MIB },
        { 4 * GIB, 0xfcff000000 - 4 * GIB },
    };
    struct warnings warnings = warnings_to(&log_);
    struct slit slit;

    read_srat("epyc-nps4");
    assert_int_equal(srat.n_cpus, 96);
    build(ram, COUNT(ram));
    assert_int_equal(map.n_nodes, 8);
    assert_int_equal(map.node[0].n_spans, 3);
    for (uint32_t n = 1; n < 7; n++)
        assert_int_equal(map.node[n].ram_bytes, 128 * GIB);
    assert_int_equal(map.node[7].ram_bytes, 0xfcff000000 - 0xe040000000);
    assert_int_equal(nodes_of_cpu(&map, &srat, 0x7b), 7);

    assert_int_equal(slit_read(table("epyc-nps4", "SLIT"), &warnings, &slit), STATUS_OK);
    assert_int_equal(slit_distance(&slit, 0, 3), 12);
    assert_int_equal(slit_distance(&slit, 3, 4), 32);
    assert_int_equal(madt_read(table("epyc-nps4", "APIC"), &warnings, &madt), STATUS_OK);
    assert_int_equal(madt.n_cpus, 96);
    assert_int_equal(log_.n, 0);
}

TEST(cxl_memory_without_cpus)
{
    /* Of the CXL windows only the first is filled, and only in part. */
    static const struct span ram[] = {
        { 0, 2 * GIB },
        { 4 * GIB, 0x2080000000 - 4 * GIB },
        { 0x2080000000, 96 * GIB },
        { 0x60f80000000, 0x400000000 },
    };

    read_srat("xeon-cxl");
    build(ram, COUNT(ram));
    assert_int_equal(map.n_nodes, 3);
    assert_int_equal(map.node[2].domain, 6);
    assert_int_equal(map.node[2].ram_bytes, 96 * GIB);
    assert_int_equal(nodes_of_address(&map, 0x60f80000000), 1);
}

TEST(eight_sockets_with_apic_ids_above_255)
{
    static const struct span ram[] = { { 0, 2 * GIB }, { 0x190000000000, 64 * GIB } };

    read_srat("eight-sockets");
    build(ram, COUNT(ram));
    assert_int_equal(map.n_nodes, 8); /* each has CPUs */
    assert_int_equal(map.node[7].ram_bytes, 64 * GIB);
    assert_int_equal(nodes_of_cpu(&map, &srat, 0x1f7), 7);
}

TEST(sites_for_memory_far_above_any)
{
    static const struct span ram[] = { { 0, GIB }, { 4 * GIB, 59 * GIB } };

    read_srat("hyper-v");
    assert_int_equal(srat.n_memory, 16);
    build(ram, COUNT(ram));
    assert_int_equal(map.node[0].ram_bytes, 60 * GIB);
}

TEST(a_node_in_two_parts)
{
    static const struct span ram[] = {
        { 0, 0xa0000 },
        { MIB, 3 * GIB - MIB },
        { 4 * GIB, 0xfd00000000 - 4 * GIB },
        { 1024 * GIB, 0x340000000 },
    };

    read_srat("vmware");
    assert_int_equal(srat.n_memory, 6);
    build(ram, COUNT(ram));
    assert_int_equal(map.n_nodes, 3);
    assert_int_equal(map.node[1].ram_bytes, 0x5500000000);
    assert_int_equal(map.node[2].n_spans, 2);
    assert_int_equal(map.node[2].ram_bytes, 0x5200000000 + 0x340000000);
}

TEST(nodes_that_wait_for_memory)
{
    static const struct span ram[] = { { 0, 0xa0000 }, { MIB, 3 * GIB } };

    read_srat("empty-nodes");
    assert_int_equal(srat.n_memory, 2);
    build(ram, COUNT(ram));
    assert_int_equal(map.n_nodes, 1);
}

TEST(small_apic_ids_in_x2apic_entries)
{
    struct warnings warnings = warnings_to(&log_);
    struct slit slit;

    read_srat("xeon-two-sockets");
    assert_int_equal(srat.n_cpus, 40);
    assert_int_equal(madt_read(table("xeon-two-sockets", "APIC"), &warnings, &madt), STATUS_OK);
    assert_int_equal(madt.n_cpus, 40);
    assert_int_equal(madt.cpu[20].apic_id, 0x20);
    assert_int_equal(slit_read(table("xeon-two-sockets", "SLIT"), &warnings, &slit), STATUS_OK);
    assert_int_equal(slit_distance(&slit, 1, 0), 21);
    assert_int_equal(log_.n, 0);
}

int group_tear_down(void **state)
{
    fake_free(&memory);
    return 0;
}
