// SPDX-License-Identifier: MIT
#include "self/log_memory.h"

#include "event/notices.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "memory/arena.h"
#include "self/phys_of.h"
#include "self/probe.h"

/* The fault log's bits for memory that is not tested, at most: 52 KiB of each copy. */
#define OTHERS_MARKED_BYTES (UINT64_C(1) << 30)

static struct page_index all_ram, marked;

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

/* All RAM. */
static size_t list_ram(struct span *ret)
{
    size_t n = 0;

    for (size_t i = 0; i < machine.map.n_regions; i++) {
        if (memory_kind_is_ram(machine.map.region[i].kind))
            ret[n++] = machine.map.region[i].span;
    }
    return n;
}

/*
 * The memory that is tested, and the beginning of the rest: okram is there, and its pages may be
 * bad, too. As much again of memory that was unusable before okram started.
 */
static size_t list_marked(const struct plan *plan, struct span *ret)
{
    const char *unusable = memory_kind_name(BOOT_REGION_BAD);
    uint64_t left[] = { OTHERS_MARKED_BYTES, OTHERS_MARKED_BYTES };
    size_t n = 0;

    for (size_t i = 0; i < plan->ram.n; i++) {
        struct span s = plan->ram.piece[i].span;
        const char *why = plan->ram.piece[i].why;

        if (why) {
            s.size = min_u64(s.size, left[why == unusable]);
            left[why == unusable] -= s.size;
        }
        ret[n++] = s;
    }
    return n;
}

static void warn_of_damage(const struct fault_log_damage *d)
{
    static const char *const names[LOG_COPIES] = { "first", "second", "third" };

    if (d->what.lost && !d->has_pages)
        notice("okram's fault log was damaged at 0x%lx and elsewhere at once: details of faults "
               "are lost, but no page",
               d->phys);
    else if (d->what.lost)
        notice("okram's fault log was damaged at 0x%lx and elsewhere at once: it is uncertain "
               "which pages from 0x%lx to 0x%lx were found bad",
               d->phys, d->first_page << PAGE_SHIFT, d->last_page << PAGE_SHIFT);
    else
        notice("okram's fault log, its %s copy, was damaged at 0x%lx (bits 0x%lx, %u words of the "
               "page): repaired, and the page counts as bad",
               names[d->what.copy], d->phys, d->what.bits, d->what.words);
}

static void begin_log(const struct plan *plan, struct fault_log *log,
                      const struct page_index *space)
{
    size_t bytes = fault_log_copy_bytes(space);
    void *near = arena_alloc(bytes);
    struct fault_log_memory memory = {
        .copy = { near, distant_memory_alloc(plan, GROUP_SPARE, bytes, near),
                  distant_memory_alloc(plan, GROUP_THIRD, bytes, near) },
        .phys_of = phys_of,
        .damaged = warn_of_damage,
    };

    fault_log_init(log, space, &memory);
}

static void make_log(const struct plan *plan, struct found *found)
{
    size_t max = max_u64(plan->ram.n, machine.map.n_regions);
    struct page_extent *of_ram = arena_alloc(machine.map.n_regions * sizeof(*of_ram));
    struct page_extent *of_marked = arena_alloc(plan->ram.n * sizeof(*of_marked));
    struct span *span = arena_alloc(max * sizeof(*span));

    ASSERT(page_index_init(&all_ram, of_ram, machine.map.n_regions, span, list_ram(span)) ==
           STATUS_OK);
    ASSERT(page_index_init(&marked, of_marked, plan->ram.n, span, list_marked(plan, span)) ==
           STATUS_OK);
    begin_log(plan, &found->log, &marked);
    fault_log_set_ram(&found->log, &all_ram);
    aliases_init(&found->aliases, &found->log, arena_alloc(aliases_bitmap_bytes(&marked)));
}

/* If they are tested they are found again; if they are not, they count all the same. */
static void log_bad_pages(struct fault_log *log)
{
    const uint64_t *page;
    size_t n = probe_bad_pages(&page);

    for (size_t i = 0; i < n; i++)
        fault_log_mark_page(log, page[i]);
}

static void make_external(struct external *external)
{
    uint64_t end = 0;

    for (size_t i = 0; i < machine.map.n_regions; i++) {
        if (memory_kind_is_ram(machine.map.region[i].kind))
            end = span_end(machine.map.region[i].span);
    }
    external_init(external, arena_alloc(EXTERNAL_LINES * sizeof(struct external_line)), end);
}

void log_memory_begin(const struct plan *plan, struct found *found)
{
    make_log(plan, found);
    make_external(&found->external);
    log_bad_pages(&found->log);
}
