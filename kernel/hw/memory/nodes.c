// SPDX-License-Identifier: MIT
#include "memory/nodes.h"

#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"

/* The index of a domain, which is added if it is new; the last index if there are too many. */
static uint32_t node_index(struct node_map *map, uint32_t domain, bool *too_many)
{
    uint32_t i = 0;

    while (i < map->n_nodes && map->node[i].domain < domain)
        i++;
    if (i < map->n_nodes && map->node[i].domain == domain)
        return i;
    if (map->n_nodes == NODES_MAX) {
        *too_many = true;
        return NODES_MAX - 1;
    }
    memmove(&map->node[i + 1], &map->node[i], (map->n_nodes - i) * sizeof(map->node[0]));
    map->n_nodes++;
    map->node[i] = (struct node){ .domain = domain };
    return i;
}

/* Above all RAM: physical addresses have at most 52 bits (AMD64 APM volume 2, 5.3). */
#define RAM_END (UINT64_C(1) << 52)

/*
 * Whole pages, because some firmware counts a range one byte short, and no page may be split
 * between two nodes: the node named first has it. Firmware may also name all up to the end of the
 * address space: RAM_END keeps the end of the range from being 0.
 */
static struct span srat_pages(const struct srat *srat, size_t i)
{
    struct span s = span_intersect(srat->memory[i].span, (struct span){ 0, RAM_END });
    uint64_t base = align_down(s.base, PAGE_SIZE);

    return (struct span){ .base = base, .size = align_up(span_end(s), PAGE_SIZE) - base };
}

static bool has_ram(struct span s, const struct span *ram, size_t n_ram)
{
    for (size_t i = 0; i < n_ram; i++) {
        if (span_intersect(s, ram[i]).size)
            return true;
    }
    return false;
}

/* Lists all domains that have RAM or one of the machine's CPUs. */
static void find_nodes(const struct node_parts *parts, struct node_map *map, bool *too_many)
{
    const struct srat *srat = parts->srat;

    if (!srat)
        return;
    for (size_t i = 0; i < srat->n_memory; i++) {
        if (has_ram(srat_pages(srat, i), parts->ram, parts->n_ram))
            node_index(map, srat->memory[i].domain, too_many);
    }
    for (size_t i = 0; i < srat->n_cpus; i++) {
        for (size_t c = 0; c < parts->n_cpus; c++) {
            if (srat->cpu[i].apic_id == parts->apic_ids[c])
                node_index(map, srat->cpu[i].domain, too_many);
        }
    }
}

/* Whose the RAM at an address is, and up to which address. */
struct owner {
    uint32_t node;
    uint64_t end;
    bool is_named; /* by the SRAT */
};

static struct owner owner_of(const struct srat *srat, struct node_map *map, uint64_t addr,
                             uint64_t end)
{
    bool ignored = false;

    for (size_t i = 0; srat && i < srat->n_memory; i++) {
        struct span s = srat_pages(srat, i);

        if (span_contains(s, addr))
            return (struct owner){ node_index(map, srat->memory[i].domain, &ignored),
                                   min_u64(span_end(s), end), true };
        if (s.base > addr && s.base < end)
            end = s.base;
    }
    return (struct owner){ 0, end, false };
}

static bool names_cpu(const struct srat *srat, uint32_t apic_id)
{
    for (size_t i = 0; i < srat->n_cpus; i++) {
        if (srat->cpu[i].apic_id == apic_id)
            return true;
    }
    return false;
}

/* Not with one node: all CPUs are in it. Several have been named by an SRAT. */
static void warn_of_unnamed_cpus(const struct node_map *map, const struct node_parts *parts,
                                 const struct warnings *warnings)
{
    size_t n = 0, first = 0;

    for (size_t i = 0; map->n_nodes > 1 && i < parts->n_cpus; i++) {
        if (!names_cpu(parts->srat, parts->apic_ids[i]) && n++ == 0)
            first = i;
    }
    if (n)
        warn_print(warnings,
                   "the SRAT assigns no node to CPUs: %zu, the first has APIC ID %u; counted as "
                   "node %u",
                   n, parts->apic_ids[first], map->node[0].domain);
}

/* Cuts the RAM of node n out of a span. Returns the bytes of it that the SRAT does not name. */
static uint64_t add_spans(const struct srat *srat, struct node_map *map, uint32_t n,
                          struct span ram)
{
    struct node *node = &map->node[n];
    uint64_t unnamed_bytes = 0;
    struct owner owner;

    for (uint64_t addr = ram.base; addr < span_end(ram); addr = owner.end) {
        owner = owner_of(srat, map, addr, span_end(ram));
        if (owner.node != n)
            continue;
        if (!owner.is_named)
            unnamed_bytes += owner.end - addr;
        ASSERT(map->n_spans < NODE_SPANS_MAX);
        map->span[map->n_spans++] = (struct span){ addr, owner.end - addr };
        node->n_spans++;
        node->ram_bytes += owner.end - addr;
    }
    return unnamed_bytes;
}

void nodes_build(const struct node_parts *parts, const struct warnings *warnings,
                 struct node_map *ret_map)
{
    struct node_parts all = *parts;
    struct node_map *map = ret_map;
    uint64_t unnamed_bytes = 0;
    bool too_many = false;

    memset(map, 0, sizeof(*map));
    if (!all.srat || !all.srat->n_memory)
        all.srat = NULL;
    find_nodes(&all, map, &too_many);
    if (!map->n_nodes)
        node_index(map, 0, &too_many);
    for (uint32_t n = 0; n < map->n_nodes; n++) {
        map->node[n].first_span = map->n_spans;
        for (size_t i = 0; i < all.n_ram; i++)
            unnamed_bytes += add_spans(all.srat, map, n, all.ram[i]);
    }
    if (unnamed_bytes && all.srat)
        warn_print(warnings, "the SRAT assigns no node to %lu KiB of RAM: counted as node %u",
                   (unsigned long)(unnamed_bytes >> 10), map->node[0].domain);
    warn_of_unnamed_cpus(map, &all, warnings);
    if (too_many)
        warn_print(warnings, "more than %u NUMA nodes: the rest are counted as node %u", NODES_MAX,
                   map->node[NODES_MAX - 1].domain);
}

uint32_t nodes_of_cpu(const struct node_map *map, const struct srat *srat, uint32_t apic_id)
{
    for (size_t i = 0; srat && i < srat->n_cpus; i++) {
        if (srat->cpu[i].apic_id != apic_id)
            continue;
        for (uint32_t n = 0; n < map->n_nodes; n++) {
            if (map->node[n].domain == srat->cpu[i].domain)
                return n;
        }
        if (map->n_nodes == NODES_MAX)
            return NODES_MAX - 1;
    }
    return 0;
}

uint32_t nodes_of_address(const struct node_map *map, uint64_t addr)
{
    for (uint32_t n = 0; n < map->n_nodes; n++) {
        for (size_t i = 0; i < map->node[n].n_spans; i++) {
            if (span_contains(map->span[map->node[n].first_span + i], addr))
                return n;
        }
    }
    return 0;
}
