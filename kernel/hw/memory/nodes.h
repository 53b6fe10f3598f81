// SPDX-License-Identifier: MIT
/*
 * NUMA nodes: proximity domains with their CPUs and their RAM, either of which may be missing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "acpi/srat.h"
#include "firmware/memory_map.h"
#include "lib/span.h"
#include "lib/warn.h"

#define NODES_MAX 64

/* The RAM of a memory map, cut where a range of the SRAT begins or ends: never more. */
#define NODE_SPANS_MAX (MEMORY_REGIONS_MAX + 2 * SRAT_MEMORY_MAX)

struct node {
    uint32_t domain; /* the number that firmware gave it */
    uint64_t ram_bytes;
    size_t first_span, n_spans; /* in node_map.span, ascending */
};

struct node_map {
    struct node node[NODES_MAX]; /* by domain, ascending */
    uint32_t n_nodes;
    struct span span[NODE_SPANS_MAX];
    size_t n_spans;
};

/* What nodes are made of. */
struct node_parts {
    const struct srat *srat; /* NULL, or one that names no memory: all is node 0 */
    const struct span *ram;  /* at most MEMORY_REGIONS_MAX, sorted, disjoint */
    size_t n_ram;
    const uint32_t *apic_ids; /* of CPUs */
    size_t n_cpus;
};

/*
 * RAM and CPUs that the SRAT does not name go to the first node, with a warning. Nodes
 * meet at page borders. Only nodes with RAM or with one of the CPUs are listed. At most
 * NODES_MAX nodes: RAM and CPUs of further nodes go to the last, with a warning.
 */
void nodes_build(const struct node_parts *parts, const struct warnings *warnings,
                 struct node_map *ret_map);

/* The node of a CPU, as an index into map->node; 0 if the SRAT does not name it. */
uint32_t nodes_of_cpu(const struct node_map *map, const struct srat *srat, uint32_t apic_id);

/* The node of a physical address, as an index into map->node; 0 if it is not a node's. */
uint32_t nodes_of_address(const struct node_map *map, uint64_t addr);
