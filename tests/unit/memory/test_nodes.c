// SPDX-License-Identifier: MIT
#include "memory/nodes.h"

#include "firmware/fake.h"
#include "firmware/memory_map.h"

static struct srat srat;
static struct node_map map;

static int begin(void **state)
{
    memset(&srat, 0, sizeof(srat));
    memset(&log_, 0, sizeof(log_));
    memset(&map, 0xaa, sizeof(map));
    return 0;
}

static void srat_memory(uint64_t base, uint64_t size, uint32_t domain)
{
    assert_true(srat.n_memory < SRAT_MEMORY_MAX);
    srat.memory[srat.n_memory++] = (struct srat_memory){ { base, size }, domain };
}

static void srat_cpu(uint32_t apic_id, uint32_t domain)
{
    srat.cpu[srat.n_cpus++] = (struct srat_cpu){ apic_id, domain };
}

static void build(const struct srat *from, const struct span *ram, size_t n_ram,
                  const uint32_t *apic_ids, size_t n_cpus)
{
    struct warnings warnings = warnings_to(&log_);

    nodes_build(&(struct node_parts){ from, ram, n_ram, apic_ids, n_cpus }, &warnings, &map);
}

/* What must hold of every map: each byte of RAM is in one span, of one node. */
static void assert_whole(const struct span *ram, size_t n_ram)
{
    uint64_t ram_bytes = 0, node_bytes = 0;
    size_t n_spans = 0;

    for (size_t i = 0; i < n_ram; i++)
        ram_bytes += ram[i].size;
    assert_in_range(map.n_nodes, 1, NODES_MAX);
    for (uint32_t n = 0; n < map.n_nodes; n++) {
        const struct node *node = &map.node[n];
        uint64_t bytes = 0;

        assert_true(n == 0 || map.node[n - 1].domain < node->domain);
        assert_int_equal(node->first_span, n_spans);
        for (size_t i = 0; i < node->n_spans; i++) {
            struct span s = map.span[node->first_span + i];
            size_t inside = 0;

            assert_true(s.size > 0);
            assert_true(i == 0 || span_end(map.span[node->first_span + i - 1]) <= s.base);
            for (size_t r = 0; r < n_ram; r++)
                inside += span_contains(ram[r], s.base) && span_end(s) <= span_end(ram[r]);
            assert_int_equal(inside, 1);
            bytes += s.size;
        }
        assert_int_equal(node->ram_bytes, bytes);
        node_bytes += bytes;
        n_spans += node->n_spans;
    }
    assert_int_equal(map.n_spans, n_spans);
    assert_int_equal(node_bytes, ram_bytes);
}

static void assert_spans(uint32_t n, const struct span *want, size_t n_want)
{
    assert_true(n < map.n_nodes);
    assert_int_equal(map.node[n].n_spans, n_want);
    for (size_t i = 0; i < n_want; i++) {
        assert_int_equal(map.span[map.node[n].first_span + i].base, want[i].base);
        assert_int_equal(map.span[map.node[n].first_span + i].size, want[i].size);
    }
}

static const struct span small_ram[] = { { 0, 0x9fc00 }, { MIB, 511 * MIB } };

TEST(all_is_one_node_without_srat)
{
    const uint32_t apic_ids[] = { 0, 7 };

    for (int empty = 0; empty < 2; empty++) {
        begin(NULL);
        srat_cpu(0, 0);
        srat_cpu(7, 3); /* the SRAT that names CPUs only */
        build(empty ? &srat : NULL, small_ram, 2, apic_ids, 2);
        assert_whole(small_ram, 2);
        assert_int_equal(map.n_nodes, 1);
        assert_int_equal(map.node[0].domain, 0);
        assert_spans(0, small_ram, 2);
        assert_int_equal(log_.n, 0);
        assert_int_equal(nodes_of_cpu(&map, empty ? &srat : NULL, 0), 0);
        assert_int_equal(nodes_of_cpu(&map, empty ? &srat : NULL, 7), 0);
        assert_int_equal(nodes_of_address(&map, 511 * MIB), 0);
    }
}

TEST(without_ram, begin)
{
    build(NULL, NULL, 0, NULL, 0);
    assert_whole(NULL, 0);
    assert_int_equal(map.n_nodes, 1);
    assert_int_equal(log_.n, 0);
}

/* Two nodes that take turns, as with the hole below 4 GiB; borders at 1 MiB and at 4 GiB. */
TEST(nodes_whose_spans_interleave)
{
    static const struct span ram[] = { { 0, 0x9f000 },
                                       { MIB, 3 * GIB - MIB },
                                       { 4 * GIB, 5 * GIB } };
    static const struct span first[] = {
        { 0, 0x9f000 }, { 2 * GIB, GIB }, { 4 * GIB, GIB }, { 8 * GIB, GIB }
    };
    static const struct span second[] = { { MIB, 2 * GIB - MIB }, { 5 * GIB, 3 * GIB } };
    static const struct {
        uint64_t addr;
        uint32_t node;
    } where[] = {
        { 0, 0 },           { 0x9efff, 0 },     { 0x9f000, 0 }, /* no node's */
        { MIB - 1, 0 },     { MIB, 1 },         { 2 * GIB - 1, 1 }, { 2 * GIB, 0 },
        { 3 * GIB - 1, 0 }, { 4 * GIB - 1, 0 }, { 4 * GIB, 0 },     { 5 * GIB - 1, 0 },
        { 5 * GIB, 1 },     { 8 * GIB - 1, 1 }, { 8 * GIB, 0 },     { UINT64_MAX, 0 },
    };
    const uint32_t apic_ids[] = { 4, 2 };

    begin(NULL);
    srat_cpu(2, 10);
    srat_cpu(4, 20);
    srat_memory(0, MIB, 10);
    srat_memory(MIB, 2 * GIB - MIB, 20);
    srat_memory(2 * GIB, 3 * GIB, 10);
    srat_memory(5 * GIB, 3 * GIB, 20);
    srat_memory(8 * GIB, 8 * GIB, 10); /* with room to plug in more */
    build(&srat, ram, COUNT(ram), apic_ids, 2);
    assert_whole(ram, COUNT(ram));
    assert_int_equal(map.n_nodes, 2);
    assert_int_equal(map.node[0].domain, 10);
    assert_int_equal(map.node[1].domain, 20);
    assert_spans(0, first, COUNT(first));
    assert_spans(1, second, COUNT(second));
    assert_int_equal(log_.n, 0);
    for (size_t i = 0; i < COUNT(where); i++)
        assert_int_equal(nodes_of_address(&map, where[i].addr), where[i].node);
    assert_int_equal(nodes_of_cpu(&map, &srat, 2), 0);
    assert_int_equal(nodes_of_cpu(&map, &srat, 4), 1);
    assert_int_equal(nodes_of_cpu(&map, &srat, 5), 0);
}

/* CPUs without memory and memory without CPUs are nodes; firmware's empty places are none. */
TEST(lists_nodes_with_cpus_or_memory_only, begin)
{
    static const struct span ram[] = { { 0, GIB }, { 4 * GIB, GIB } };
    const uint32_t apic_ids[] = { 0, 1 };

    srat_cpu(0, 1);
    srat_cpu(1, 2);  /* no memory */
    srat_cpu(99, 5); /* not one of ours */
    srat_memory(0, GIB, 1);
    srat_memory(4 * GIB, GIB, 3);  /* no CPU */
    srat_memory(64 * GIB, GIB, 4); /* no RAM there */
    build(&srat, ram, 2, apic_ids, 2);
    assert_whole(ram, 2);
    assert_int_equal(map.n_nodes, 3);
    for (uint32_t n = 0; n < 3; n++)
        assert_int_equal(map.node[n].domain, n + 1);
    assert_int_equal(map.node[0].ram_bytes, GIB);
    assert_int_equal(map.node[1].ram_bytes, 0);
    assert_int_equal(map.node[2].ram_bytes, GIB);
    assert_int_equal(nodes_of_cpu(&map, &srat, 0), 0);
    assert_int_equal(nodes_of_cpu(&map, &srat, 1), 1);
    assert_int_equal(nodes_of_cpu(&map, &srat, 99), 0);
    assert_int_equal(nodes_of_address(&map, 4 * GIB), 2);
    assert_int_equal(log_.n, 0);
}

TEST(ram_that_the_srat_does_not_name)
{
    static const struct span ram[] = { { 0, 0x9f000 }, { MIB, GIB - MIB }, { 4 * GIB, GIB } };
    static const struct span first[] = { { 0, 0x9f000 },
                                         { MIB, 255 * MIB },
                                         { 256 * MIB, 256 * MIB },
                                         { 768 * MIB, 256 * MIB },
                                         { 4 * GIB, GIB - 4096 } };
    static const struct span second[] = { { 512 * MIB, 256 * MIB }, { 5 * GIB - 4096, 4096 } };

    begin(NULL);
    srat_memory(256 * MIB, 256 * MIB, 6);
    srat_memory(512 * MIB, 256 * MIB, 9);
    srat_memory(5 * GIB - 4096, GIB, 9);
    build(&srat, ram, 3, NULL, 0);
    assert_whole(ram, 3);
    assert_int_equal(map.n_nodes, 2);
    assert_spans(0, first, COUNT(first));
    assert_spans(1, second, COUNT(second));
    /* 636 KiB and 255, 256 and 1024 MiB less one page */
    assert_warned(&log_, 1, "the SRAT assigns no node to 1572472 KiB of RAM: counted as node 6");
}

TEST(cpus_that_the_srat_does_not_name)
{
    static const struct span ram[] = { { 0, 2 * GIB } };

    for (uint32_t n_nodes = 1; n_nodes <= 2; n_nodes++) {
        begin(NULL);
        srat_memory(0, GIB, 3);
        srat_memory(GIB, GIB, n_nodes == 1 ? 3 : 6);
        srat_cpu(0, 3);
        srat_cpu(9, 6);
        build(&srat, ram, 1, (uint32_t[]){ 0, 300, 301 }, 3);
        assert_whole(ram, 1);
        assert_int_equal(map.n_nodes, n_nodes);
        assert_int_equal(nodes_of_cpu(&map, &srat, 300), 0);
        assert_int_equal(log_.n, n_nodes - 1);
    }
    assert_warned(&log_, 1,
                  "the SRAT assigns no node to CPUs: 2, the first has APIC ID 300; counted as "
                  "node 3");
}

TEST(an_srat_of_other_memory_only, begin)
{
    srat_memory(64 * GIB, GIB, 4);
    build(&srat, small_ram, 2, NULL, 0);
    assert_whole(small_ram, 2);
    assert_int_equal(map.n_nodes, 1);
    assert_spans(0, small_ram, 2);
    assert_warned(&log_, 1, "assigns no node to");
}

/* A length one byte short, borders at odd places: no line and no page is torn between two nodes. */
TEST(borders_within_pages, begin)
{
    static const struct span ram[] = { { 0, 4 * GIB } };
    static const struct span first[] = { { 0, GIB } };
    static const struct span second[] = { { GIB, GIB } };
    static const struct span third[] = { { 2 * GIB, GIB + 4096 } };
    static const struct span fourth[] = { { 3 * GIB + 4096, GIB - 4096 } };

    srat_memory(0, GIB - 1, 0);
    srat_memory(GIB, GIB - 64, 1);
    srat_memory(2 * GIB + 1, GIB + 99, 2);
    srat_memory(3 * GIB + 100, GIB - 101, 3);
    build(&srat, ram, 1, NULL, 0);
    assert_whole(ram, 1);
    assert_int_equal(map.n_nodes, 4);
    assert_spans(0, first, 1);
    assert_spans(1, second, 1);
    assert_spans(2, third, 1);
    assert_spans(3, fourth, 1);
    assert_int_equal(log_.n, 0);
}

/* Domain n has the n-th GiB, and a CPU with APIC ID n. */
static void build_many(uint32_t n_domains, const struct span *ram)
{
    uint32_t apic_ids[NODES_MAX + 2];

    begin(NULL);
    for (uint32_t n = 0; n < n_domains; n++) {
        srat_memory(n * GIB, GIB, n);
        srat_cpu(n, n);
        apic_ids[n] = n;
    }
    build(&srat, ram, 1, apic_ids, n_domains);
    assert_whole(ram, 1);
}

/* One entry for all that may ever be there. */
TEST(a_range_up_to_the_end_of_the_address_space)
{
    static const struct span ranges[] = {
        { MIB, 0 - MIB },
        { 0, UINT64_MAX },
        { PAGE_SIZE, UINT64_MAX - PAGE_SIZE },
        { 0, (UINT64_C(1) << 52) + 1 },
    };

    for (size_t i = 0; i < COUNT(ranges); i++) {
        begin(NULL);
        srat_memory(ranges[i].base, ranges[i].size, 3);
        build(&srat, small_ram, 2, NULL, 0);
        assert_whole(small_ram, 2);
        assert_int_equal(map.n_nodes, 1);
        assert_int_equal(map.node[0].domain, 3);
        assert_int_equal(log_.n, ranges[i].base > 0); /* what lies below is not named */
    }
}

TEST(a_range_above_all_memory, begin)
{
    srat_memory(0, 512 * MIB, 1);
    srat_memory(UINT64_C(1) << 52, UINT64_C(1) << 52, 2);
    build(&srat, small_ram, 2, NULL, 0);
    assert_whole(small_ram, 2);
    assert_int_equal(map.n_nodes, 1);
    assert_int_equal(map.node[0].domain, 1);
}

TEST(as_many_nodes_as_there_is_room_for)
{
    const struct span ram = { 0, NODES_MAX * GIB };

    build_many(NODES_MAX, &ram);
    assert_int_equal(map.n_nodes, NODES_MAX);
    assert_int_equal(log_.n, 0);
    for (uint32_t n = 0; n < NODES_MAX; n++) {
        assert_int_equal(map.node[n].ram_bytes, GIB);
        assert_int_equal(nodes_of_cpu(&map, &srat, n), n);
        assert_int_equal(nodes_of_address(&map, n * GIB + 1), n);
    }
}

/* The CPUs of nodes too many go where their memory goes. */
TEST(more_nodes_than_there_is_room_for)
{
    const struct span ram = { 0, (NODES_MAX + 2) * GIB };

    build_many(NODES_MAX + 2, &ram);
    assert_int_equal(map.n_nodes, NODES_MAX);
    assert_warned(&log_, 1, "more than 64 NUMA nodes: the rest are counted as node 63");
    assert_int_equal(map.node[NODES_MAX - 2].ram_bytes, GIB);
    assert_int_equal(map.node[NODES_MAX - 1].ram_bytes, 3 * GIB);
    for (uint32_t n = NODES_MAX - 2; n < NODES_MAX + 2; n++) {
        uint32_t want = n < NODES_MAX ? n : NODES_MAX - 1;

        assert_int_equal(nodes_of_address(&map, n * GIB), want);
        assert_int_equal(nodes_of_cpu(&map, &srat, n), want);
    }
    assert_int_equal(nodes_of_cpu(&map, &srat, NODES_MAX + 2), 0);
}

/* The most pieces that a memory map and an SRAT can make: none is lost. */
TEST(as_many_spans_as_there_can_be, begin)
{
    static struct span ram[MEMORY_REGIONS_MAX];

    for (size_t i = 0; i < MEMORY_REGIONS_MAX; i++)
        ram[i] = (struct span){ i * 64 * MIB, 32 * MIB };
    for (size_t i = 0; i < SRAT_MEMORY_MAX; i++) /* in the midst of a piece of RAM */
        srat_memory(i * 4 * 64 * MIB + 8 * MIB, 8 * MIB, i % 2);
    build(&srat, ram, MEMORY_REGIONS_MAX, NULL, 0);
    assert_whole(ram, MEMORY_REGIONS_MAX);
    assert_int_equal(map.n_spans, MEMORY_REGIONS_MAX + 2 * SRAT_MEMORY_MAX);
    assert_int_equal(map.node[1].n_spans, SRAT_MEMORY_MAX / 2);
}

/* Random machines, page by page. */
#define PAGES 512

static uint32_t domain_of_page(uint64_t page)
{
    for (size_t i = 0; i < srat.n_memory; i++) {
        if (span_contains(srat.memory[i].span, page * PAGE_SIZE))
            return srat.memory[i].domain;
    }
    return map.node[0].domain;
}

static size_t random_spans(struct span *span, size_t max)
{
    uint64_t page = (uint64_t)rand() % 8;
    size_t n = 0;

    while (n < max && page < PAGES) {
        uint64_t pages = 1 + (uint64_t)rand() % 48;

        pages = pages < PAGES - page ? pages : PAGES - page;
        span[n++] = (struct span){ page * PAGE_SIZE, pages * PAGE_SIZE };
        page += pages + (uint64_t)(rand() % 2 ? 1 + rand() % 16 : 0);
    }
    return n;
}

TEST(random_machines)
{
    srand(2);
    for (int round = 0; round < 3000; round++) {
        struct span ram[16], named[16];
        size_t n_ram, n_named;

        begin(NULL);
        n_ram = random_spans(ram, 16);
        n_named = random_spans(named, (size_t)rand() % 17);
        for (size_t i = 0; i < n_named; i++)
            srat_memory(named[i].base, named[i].size, (uint32_t)rand() % 5);
        build(&srat, ram, n_ram, NULL, 0);
        assert_whole(ram, n_ram);
        for (size_t i = 0; i < n_ram; i++) {
            for (uint64_t at = ram[i].base; at < span_end(ram[i]); at += PAGE_SIZE)
                assert_int_equal(map.node[nodes_of_address(&map, at)].domain,
                                 domain_of_page(at / PAGE_SIZE));
        }
    }
}
