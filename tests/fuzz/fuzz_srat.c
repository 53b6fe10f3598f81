// SPDX-License-Identifier: MIT
/* An SRAT, and the nodes that it makes of a machine. */
#include "acpi/srat.h"

#include "fuzz.h"
#include "memory/nodes.h"

#define MIB UINT64_C(0x100000)

/* RAM below and above the gap that a PC has under 4 GiB; ends within a page. */
static const struct span ram[] = {
    { 0, 0x9fc00 },
    { MIB, 0xbfe00 * UINT64_C(0x1000) },
    { UINT64_C(1) << 32, 8192 * MIB },
    { (UINT64_C(1) << 52) - 4 * MIB, 4 * MIB },
};

static const uint32_t apic_ids[] = { 0, 1, 2, 3, 0xfe, 0xff, 0x100, 0xfffffffe };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct srat srat;
static struct node_map nodes;

static void check_srat(void)
{
    CHECK(srat.n_cpus <= SRAT_CPUS_MAX && srat.n_memory <= SRAT_MEMORY_MAX);
    for (size_t i = 0; i < srat.n_cpus; i++) {
        for (size_t j = 0; j < i; j++)
            CHECK(srat.cpu[i].apic_id != srat.cpu[j].apic_id);
    }
    for (size_t i = 0; i < srat.n_memory; i++) {
        struct span s = srat.memory[i].span;

        CHECK(s.size && s.base + (s.size - 1) >= s.base);
        CHECK(i == 0 || s.base - srat.memory[i - 1].span.base >= srat.memory[i - 1].span.size);
    }
}

/* All RAM belongs to one node each, and nothing else does. */
static void check_nodes(void)
{
    uint64_t bytes = 0, ram_bytes = 0;
    size_t n_spans = 0;

    CHECK(nodes.n_nodes >= 1 && nodes.n_nodes <= NODES_MAX);
    for (uint32_t n = 0; n < nodes.n_nodes; n++) {
        const struct node *node = &nodes.node[n];
        uint64_t node_bytes = 0;

        CHECK(n == 0 || node->domain > nodes.node[n - 1].domain);
        CHECK(node->first_span == n_spans);
        n_spans += node->n_spans;
        CHECK(n_spans <= nodes.n_spans);
        fuzz_check_spans(&nodes.span[node->first_span], node->n_spans);
        for (size_t i = node->first_span; i < n_spans; i++) {
            bool inside = false;

            for (size_t r = 0; r < COUNT(ram); r++)
                inside |= span_intersect(ram[r], nodes.span[i]).size == nodes.span[i].size;
            CHECK(inside);
            CHECK(nodes_of_address(&nodes, nodes.span[i].base) == n);
            node_bytes += nodes.span[i].size;
        }
        CHECK(node->ram_bytes == node_bytes);
        bytes += node_bytes;
    }
    for (size_t r = 0; r < COUNT(ram); r++)
        ram_bytes += ram[r].size;
    CHECK(n_spans == nodes.n_spans && bytes == ram_bytes);
    for (size_t i = 0; i < COUNT(apic_ids); i++)
        CHECK(nodes_of_cpu(&nodes, &srat, apic_ids[i]) < nodes.n_nodes);
}

FUZZ_TABLE(table, warnings, counted)
{
    if (srat_read(table, warnings, &srat) != STATUS_OK) {
        CHECK(counted->n == 1);
        return;
    }
    check_srat();
    nodes_build(&(struct node_parts){ &srat, ram, COUNT(ram), apic_ids, COUNT(apic_ids) }, warnings,
                &nodes);
    check_nodes();
}
