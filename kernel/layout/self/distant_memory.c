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

static uint64_t bytes_below(const struct spans *spans, uint64_t phys)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < spans->n; i++)
        bytes += span_intersect(spans->span[i], (struct span){ 0, phys }).size;
    return bytes;
}

/* Adds the free spans in the order in which a group is to use them, far from phys. */
static void add_order(enum group group, uint64_t phys, const struct spans *free,
                      struct spans *order)
{
    const struct free_memory memory = { &machine.nodes, nodes_of_address(&machine.nodes, phys),
                                        free->span, free->n };
    struct span *at = &order->span[order->n];
    size_t n_preferred;

    /* Firmware may have put the image at the other end of RAM: then this end is far away. */
    if (n_nodes_with_ram() == 1 && bytes_below(free, phys) > spans_bytes(free) / 2) {
        memcpy(at, free->span, free->n * sizeof(*at));
        order->n += free->n;
        return;
    }
    order->n += groups_order(&memory, group, at, &n_preferred);
}

void *distant_memory_alloc(const struct plan *plan, enum group group, uint64_t bytes,
                           const void *from)
{
    static struct spans order, free;
    uint64_t phys = phys_of(from);

    if (!order.span) {
        order = arena_alloc_spans(2 * GROUPS_ORDER_MAX(plan->ram.n, machine.nodes.n_spans));
        free = arena_alloc_spans(plan->ram.n);
    }
    free.n = order.n = 0;
    plan_list_outside(plan, &free);
    add_order(group, phys, &free, &order);
    /* What is to be tested is used if there is no other room. */
    add_order(group, phys, &plan->tested, &order);
    return arena_alloc_in(group, bytes, order.span, order.n);
}
