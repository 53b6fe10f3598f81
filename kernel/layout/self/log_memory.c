// SPDX-License-Identifier: MIT
#include "self/log_memory.h"

#include "event/notices.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "machine/machine.h"
#include "memory/arena.h"
#include "self/distant_memory.h"
#include "self/phys_of.h"
#include "self/probe.h"
#include "self/self_check.h"

/* The fault log's bits for memory that is not tested, at most: 52 KiB of each copy. */
#define OTHERS_MARKED_BYTES (UINT64_C(1) << 30)

static struct page_index all_ram, marked;

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
    size_t n_extents = machine.map.n_regions + plan->ram.n;
    struct page_extent *extents = arena_alloc(n_extents * sizeof(*extents));
    struct span *span = arena_alloc(max * sizeof(*span));

    ASSERT(page_index_init(&all_ram, extents, machine.map.n_regions, span, list_ram(span)) ==
           STATUS_OK);
    ASSERT(page_index_init(&marked, extents + machine.map.n_regions, plan->ram.n, span,
                           list_marked(plan, span)) == STATUS_OK);
    begin_log(plan, &found->log, &marked);
    fault_log_set_ram(&found->log, &all_ram);
    self_check_guard(extents, n_extents * sizeof(*extents));
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
