// SPDX-License-Identifier: MIT
#include "self/distant_memory.h"

#include "lib/string.h"
#include "machine/machine.h"
#include "memory/arena.h"
#include "self/phys_of.h"

static size_t n_nodes_with_ram(void)
{
    size_t n = 0;

    for (uint32_t i = 0; i < machine.nodes.n_nodes; i++)
        n += machine.nodes.node[i].n_spans != 0;
    return n;
}

static uint64_t bytes_below(const struct span *span, size_t n, uint64_t phys)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < n; i++)
        bytes += span_intersect(span[i], (struct span){ 0, phys }).size;
    return bytes;
}

/* Adds the free spans in the order in which a group is to use them, far from phys. */
static size_t add_order(enum group group, uint64_t phys, const struct span *free, size_t n_free,
                        struct span *order, size_t n)
{
    size_t n_preferred;

    /* Firmware may have put the image at the other end of RAM: then this end is far away. */
    if (n_nodes_with_ram() == 1 &&
        bytes_below(free, n_free, phys) > bytes_below(free, n_free, UINT64_MAX) / 2) {
        memcpy(&order[n], free, n_free * sizeof(*free));
        return n + n_free;
    }
    return n + groups_order(&machine.nodes, nodes_of_address(&machine.nodes, phys), group, free,
                            n_free, &order[n], &n_preferred);
}

void *distant_memory_alloc(const struct plan *plan, enum group group, uint64_t bytes,
                           const void *from)
{
    static struct span *order;
    static struct spans free;
    uint64_t phys = phys_of(from);
    size_t n;

    if (!order) {
        order =
            arena_alloc(2 * GROUPS_ORDER_MAX(plan->ram.n, machine.nodes.n_spans) * sizeof(*order));
        free = arena_alloc_spans(plan->ram.n);
    }
    free.n = 0;
    plan_list_outside(plan, &free);
    n = add_order(group, phys, free.span, free.n, order, 0);
    /* What is to be tested is used if there is no other room. */
    n = add_order(group, phys, plan->tested.span, plan->tested.n, order, n);
    return arena_alloc_in(group, bytes, order, n);
}
