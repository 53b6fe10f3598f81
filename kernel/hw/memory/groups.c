// SPDX-License-Identifier: MIT
#include "memory/groups.h"

#include "lib/panic.h"

void groups_add(struct groups *groups, enum group group, uint64_t bytes)
{
    ASSERT(bytes % PAGE_SIZE == 0);
    if (!groups->n || groups->segment[groups->n - 1].group != group) {
        ASSERT(groups->n < GROUPS_SEGMENTS_MAX);
        groups->segment[groups->n].group = group;
        groups->segment[groups->n++].bytes = 0;
    }
    groups->segment[groups->n - 1].bytes += bytes;
}

uint64_t groups_bytes(const struct groups *groups, enum group group)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < groups->n; i++) {
        if (groups->segment[i].group == group)
            bytes += groups->segment[i].bytes;
    }
    return bytes;
}

/* Adds bytes of a place, from *used on. */
static enum status add_next(struct page_list *to, const struct page_list *from, uint64_t *used,
                            uint64_t bytes)
{
    while (bytes) {
        struct span run = page_list_at(from, *used);

        if (run.size > bytes)
            run.size = bytes;
        if (page_list_add(to, run) != STATUS_OK)
            return STATUS_NO_SPACE;
        *used += run.size;
        bytes -= run.size;
    }
    return STATUS_OK;
}

enum status groups_join(const struct groups *groups, const struct page_list place[GROUPS],
                        struct page_list *ret_place)
{
    uint64_t used[GROUPS] = { 0 };

    page_list_clear(ret_place);
    for (size_t i = 0; i < groups->n; i++) {
        enum group group = groups->segment[i].group;

        if (add_next(ret_place, &place[group], &used[group], groups->segment[i].bytes) != STATUS_OK)
            return STATUS_NO_SPACE;
    }
    return STATUS_OK;
}

/*
 * The rest of a single node's memory, and the part of the rest for spares: the last of this number
 * of parts.
 */
#define REST_OF_ONE_NODE 4
#define LATE_PART        4

/* The bytes that are wanted of free memory, the own node's first; and the spans that have them. */
struct span_order {
    struct span *span;
    size_t n;
    struct span wanted;
    uint64_t at; /* so many bytes are passed */
};

static void add_node(const struct free_memory *m, const struct node *node, struct span_order *order)
{
    for (size_t s = 0; s < node->n_spans; s++) {
        for (size_t i = 0; i < m->n; i++) {
            struct span here = span_intersect(m->span[i], m->nodes->span[node->first_span + s]);
            struct span part = span_intersect((struct span){ order->at, here.size }, order->wanted);

            if (part.size)
                order->span[order->n++] =
                    (struct span){ here.base + (part.base - order->at), part.size };
            order->at += here.size;
        }
    }
}

static void add_range(const struct free_memory *m, uint64_t from, uint64_t to,
                      struct span_order *order)
{
    order->wanted = (struct span){ from, to - from };
    order->at = 0;
    add_node(m, &m->nodes->node[m->own_node], order);
    for (uint32_t i = 0; i < m->nodes->n_nodes; i++) {
        if (i != m->own_node)
            add_node(m, &m->nodes->node[i], order);
    }
}

/* All free memory of a node, or of all nodes (node NULL). */
static uint64_t bytes_of(const struct free_memory *m, const struct node *node)
{
    struct span_order nothing = { 0 };

    for (uint32_t i = 0; i < m->nodes->n_nodes; i++) {
        if (!node || node == &m->nodes->node[i])
            add_node(m, &m->nodes->node[i], &nothing);
    }
    return nothing.at;
}

size_t groups_order(const struct free_memory *memory, enum group group, struct span *ret_order,
                    size_t *ret_n_preferred)
{
    const struct free_memory *m = memory;
    uint64_t all = bytes_of(m, NULL), own = bytes_of(m, &m->nodes->node[m->own_node]), late;
    struct span_order order = { .span = ret_order };

    if (own == all)
        own = all - align_down(all / REST_OF_ONE_NODE, PAGE_SIZE);
    late = all - align_down((all - own) / LATE_PART, PAGE_SIZE);
    if (group == GROUP_SPARE)
        add_range(m, late, all, &order);
    if (group != GROUP_MAIN)
        add_range(m, own, group == GROUP_SPARE ? late : all, &order);
    else
        add_range(m, 0, own, &order);
    *ret_n_preferred = order.n;
    if (group != GROUP_MAIN)
        add_range(m, 0, own, &order);
    else
        add_range(m, own, all, &order);
    return order.n;
}
