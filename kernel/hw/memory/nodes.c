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
static void find_nodes(const struct srat *srat, const struct span *ram, size_t n_ram,
                       const uint32_t *apic_ids, size_t n_cpus, struct node_map *map,
                       bool *too_many)
{
    for (size_t i = 0; i < srat->n_memory; i++) {
        if (has_ram(srat_pages(srat, i), ram, n_ram))
            node_index(map, srat->memory[i].domain, too_many);
    }
    for (size_t i = 0; i < srat->n_cpus; i++) {
        for (size_t c = 0; c < n_cpus; c++) {
            if (srat->cpu[i].apic_id == apic_ids[c])
                node_index(map, srat->cpu[i].domain, too_many);
        }
    }
}

/* The node to which the RAM at addr belongs, and the address up to which that holds. */
static uint32_t owner(const struct srat *srat, struct node_map *map, uint64_t addr, uint64_t end,
                      uint64_t *ret_end, bool *named)
{
    bool ignored = false;

    for (size_t i = 0; i < srat->n_memory; i++) {
        struct span s = srat_pages(srat, i);

        if (span_contains(s, addr)) {
            *ret_end = min_u64(span_end(s), end);
            *named = true;
            return node_index(map, srat->memory[i].domain, &ignored);
        }
        if (s.base > addr && s.base < end)
            end = s.base;
    }
    *ret_end = end;
    *named = false;
    return 0;
}

static bool names_cpu(const struct srat *srat, uint32_t apic_id)
{
    for (size_t i = 0; i < srat->n_cpus; i++) {
        if (srat->cpu[i].apic_id == apic_id)
            return true;
    }
    return false;
}

/* Not with one node: all CPUs are in it. */
static void warn_of_unnamed_cpus(const struct node_map *map, const struct srat *srat,
                                 const uint32_t *apic_ids, size_t n_cpus,
                                 const struct warnings *warnings)
{
    size_t n = 0, first = 0;

    for (size_t i = 0; i < n_cpus; i++) {
        if (!names_cpu(srat, apic_ids[i]) && n++ == 0)
            first = i;
    }
    if (n && map->n_nodes > 1)
        warn_print(warnings,
                   "the SRAT assigns no node to CPUs: %zu, the first has APIC ID %u; counted as "
                   "node %u",
                   n, apic_ids[first], map->node[0].domain);
}

void nodes_build(const struct srat *srat, const struct span *ram, size_t n_ram,
                 const uint32_t *apic_ids, size_t n_cpus, const struct warnings *warnings,
                 struct node_map *ret_map)
{
    static const struct srat none = { 0 };
    struct node_map *map = ret_map;
    uint64_t unnamed_bytes = 0;
    bool too_many = false;

    memset(map, 0, sizeof(*map));
    if (!srat || !srat->n_memory)
        srat = &none;
    find_nodes(srat, ram, n_ram, apic_ids, n_cpus, map, &too_many);
    if (!map->n_nodes)
        node_index(map, 0, &too_many);

    for (uint32_t n = 0; n < map->n_nodes; n++) {
        struct node *node = &map->node[n];

        node->first_span = map->n_spans;
        for (size_t i = 0; i < n_ram; i++) {
            uint64_t addr = ram[i].base, end;

            for (; addr < span_end(ram[i]); addr = end) {
                bool named;
                uint32_t o = owner(srat, map, addr, span_end(ram[i]), &end, &named);

                if (o != n)
                    continue;
                if (!named && srat != &none)
                    unnamed_bytes += end - addr;
                ASSERT(map->n_spans < NODE_SPANS_MAX);
                map->span[map->n_spans++] = (struct span){ addr, end - addr };
                node->n_spans++;
                node->ram_bytes += end - addr;
            }
        }
    }
    if (unnamed_bytes)
        warn_print(warnings, "the SRAT assigns no node to %lu KiB of RAM: counted as node %u",
                   (unsigned long)(unnamed_bytes >> 10), map->node[0].domain);
    warn_of_unnamed_cpus(map, srat, apic_ids, n_cpus, warnings);
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
