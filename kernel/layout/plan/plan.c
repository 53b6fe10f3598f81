// SPDX-License-Identifier: MIT
#include "plan/plan.h"

#include "acpi/non_ram_ranges.h"
#include "arch/paging.h"
#include "bootcfg/lines.h"
#include "event/notices.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "machine/error_sources.h"
#include "machine/machine.h"
#include "machine/platform.h"
#include "memory/arena.h"

/* From here to 1 MiB there are video memory, ROMs and firmware's data, whatever the map says. */
#define LOW_RAM_END (UINT64_C(640) << 10)

const char *const plan_exclusion[] = {
    [EXCLUDED_OKRAM] = "okram itself",
    [EXCLUDED_RANGE] = "outside range=",
    [EXCLUDED_NODE] = "its node is not in nodes=",
    [EXCLUDED_PARK] = "kept for CPUs that fail",
    [EXCLUDED_PART_LINE] = "less than a line of 64 bytes",
    [EXCLUDED_STOPPED] = "stopped before a test had covered all memory",
    [EXCLUDED_HAMMER] = "row-hammer alone does not cover all memory",
    [EXCLUDED_TOO_HIGH] = "above 64 TiB, out of okram's reach",
    [EXCLUDED_PAGE_0] = "page 0: interrupt vectors and firmware's data",
    [EXCLUDED_LOW_ROM] = "640 KiB to 1 MiB: video memory and firmware",
    [EXCLUDED_LOWMEM] = "below 1 MiB, with lowmem=skip",
    [EXCLUDED_UEFI] = "UEFI's runtime services write there for okram",
    [EXCLUDED_USB] = "USB controllers write there for okram",
    [EXCLUDED_ERROR_SOURCE] = "firmware reports hardware errors there",
};

/* Some firmware still uses its ACPI tables, for example in system management mode. */
static bool is_tested(enum boot_region_kind kind, const struct options *options)
{
    return kind == BOOT_REGION_USABLE || kind == BOOT_REGION_SPECIFIC ||
           (kind == BOOT_REGION_ACPI_RECLAIM && options->acpimem);
}

static void add_ram(struct plan *plan, const struct options *options)
{
    for (size_t i = 0; i < machine.map.n_regions; i++) {
        const struct memory_region *r = &machine.map.region[i];

        if (!memory_kind_is_ram(r->kind))
            continue;
        ASSERT(pieces_add(&plan->ram, r->span,
                          is_tested(r->kind, options) ? NULL : memory_kind_name(r->kind)) ==
               STATUS_OK);
    }
}

/* Before other reasons, because okram itself moves to what range= and nodes= leave out. */
static void exclude_fixed(struct plan *plan)
{
    const struct page_list *fixed = arena_fixed();

    if (machine.uefi_page)
        pieces_exclude(&plan->ram, (struct span){ machine.uefi_page, PAGE_SIZE },
                       plan_exclusion[EXCLUDED_UEFI]);
    for (size_t i = 0; i < fixed->n; i++)
        pieces_exclude(&plan->ram, page_list_span(fixed, i), plan_exclusion[EXCLUDED_USB]);
    for (size_t i = 0; i < error_sources_count(); i++) {
        struct span span[ERROR_SOURCE_SPANS];
        size_t n = error_source_spans(i, span);

        for (size_t k = 0; k < n; k++)
            pieces_exclude(&plan->ram, span[k], plan_exclusion[EXCLUDED_ERROR_SOURCE]);
    }
}

static void exclude_outside_ranges(struct plan *plan, const struct options *options)
{
    uint64_t at = 0;

    if (!options->n_ranges)
        return;
    for (size_t i = 0; i < options->n_ranges; i++) {
        pieces_exclude(&plan->ram, (struct span){ at, options->range[i].base - at },
                       plan_exclusion[EXCLUDED_RANGE]);
        at = span_end(options->range[i]);
    }
    pieces_exclude(&plan->ram, (struct span){ at, UINT64_MAX - at },
                   plan_exclusion[EXCLUDED_RANGE]);
}

static void exclude_nodes(struct plan *plan, const struct options *options)
{
    for (uint32_t n = 0; n < machine.nodes.n_nodes; n++) {
        const struct node *node = &machine.nodes.node[n];

        if (id_set_contains(&options->nodes, node->domain))
            continue;
        for (size_t i = 0; i < node->n_spans; i++)
            pieces_exclude(&plan->ram, machine.nodes.span[node->first_span + i],
                           plan_exclusion[EXCLUDED_NODE]);
    }
}

static void exclude_low(struct plan *plan, const struct options *options)
{
    pieces_exclude(&plan->ram, (struct span){ 0, PAGE_SIZE }, plan_exclusion[EXCLUDED_PAGE_0]);
    pieces_exclude(&plan->ram, (struct span){ LOW_RAM_END, PLAN_LOW_END - LOW_RAM_END },
                   plan_exclusion[EXCLUDED_LOW_ROM]);
    if (options->lowmem == OPTION_LOWMEM_SKIP)
        pieces_exclude(&plan->ram, (struct span){ 0, PLAN_LOW_END },
                       plan_exclusion[EXCLUDED_LOWMEM]);
}

void plan_index_workers(struct plan *plan)
{
    for (size_t i = 0; i < plan->n_workers; i++) {
        plan->worker_cpus[i] = plan->workers[i].cpu;
        plan->worker_of_cpu[plan->workers[i].cpu] = (uint16_t)i;
    }
}

static void choose_workers(struct plan *plan, const struct options *options)
{
    plan->workers = arena_alloc(machine.n_online * sizeof(*plan->workers));
    plan->worker_cpus = arena_alloc(machine.n_online * sizeof(*plan->worker_cpus));
    for (uint32_t i = 0; i < machine.n_online; i++) {
        uint32_t cpu = machine.online[i];

        if (!id_set_contains(&options->cpus, cpu))
            continue;
        plan->workers[plan->n_workers++] =
            (struct worker){ .cpu = cpu, .node = machine.cpu_node[cpu] };
    }
    if (plan->n_workers && !id_set_contains(&options->cpus, 0))
        notice("cpus= leaves out cpu 0, the boot CPU: it tests no memory above 1 MiB, but it still "
               "controls the run, which ends with an error if that CPU fails");
    if (!plan->n_workers) {
        notice("cpus= lists no CPU of this machine: cpu 0 is used");
        plan->workers[plan->n_workers++] = (struct worker){ .node = machine.cpu_node[0] };
    }
    plan->max_workers = plan->n_workers;
    plan_index_workers(plan);
}

/* By a person, not by firmware or by need. */
static bool is_left_out(const char *why)
{
    return why == plan_exclusion[EXCLUDED_RANGE] || why == plan_exclusion[EXCLUDED_NODE] ||
           why == plan_exclusion[EXCLUDED_LOWMEM];
}

static uint64_t left_out_bytes(const struct plan *plan)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < plan->ram.n; i++) {
        if (is_left_out(plan->ram.piece[i].why))
            bytes += plan->ram.piece[i].span.size;
    }
    return bytes;
}

static void allocate_ram(struct plan *plan)
{
    /* Each thing left out may cut a piece in three. */
    plan->ram.max = 3 * (machine.map.n_regions + machine.nodes.n_spans + OPTIONS_RANGES_MAX +
                         arena_fixed()->n + ERROR_SOURCE_SPANS * error_sources_count()) +
                    256;
    plan->ram.piece = arena_alloc(plan->ram.max * sizeof(*plan->ram.piece));
}

static void choose_pieces(struct plan *plan, const struct options *options)
{
    add_ram(plan, options);
    exclude_fixed(plan);
    exclude_outside_ranges(plan, options);
    exclude_nodes(plan, options);
    exclude_low(plan, options);
    plan->wanted_bytes = pieces_tested_bytes(&plan->ram);
    plan->left_out_bytes = left_out_bytes(plan);
    if (machine.park_page)
        pieces_exclude(&plan->ram, (struct span){ machine.park_page, PAGE_SIZE },
                       plan_exclusion[EXCLUDED_PARK]);
    pieces_exclude(&plan->ram, (struct span){ DIRECT_SIZE, UINT64_MAX - DIRECT_SIZE },
                   plan_exclusion[EXCLUDED_TOO_HIGH]);
    pieces_trim_to_lines(&plan->ram, plan_exclusion[EXCLUDED_PART_LINE]);
    pieces_join(&plan->ram);
    plan->tested_bytes = pieces_tested_bytes(&plan->ram);
    plan->tested = arena_alloc_spans(plan->ram.n);
    ASSERT(pieces_tested(&plan->ram, &plan->tested) == STATUS_OK);
}

void plan_make(struct plan *plan, const struct options *options)
{
    plan->tolerate_low_changes = options->lowmem == OPTION_LOWMEM_TOLERATE;
    choose_workers(plan, options);
    allocate_ram(plan);
    choose_pieces(plan, options);
}

void plan_allocate(struct plan *plan)
{
    const struct memory_tables tables = platform_memory_tables(&machine.map);
    const struct piece *chosen = plan->ram.piece;
    size_t place_cuts = 2 * footprint_runs(); /* each span cuts a piece in three */

    plan->ram.max += 2 * place_cuts; /* two places may be left out at the end: plan/tested.h */
    plan->ram.piece = arena_alloc(plan->ram.max * sizeof(*plan->ram.piece));
    memcpy(plan->ram.piece, chosen, plan->ram.n * sizeof(*chosen));
    plan->untested =
        arena_alloc((plan->ram.max + non_ram_ranges_max(&tables)) * sizeof(*plan->untested));
}

static void append_runs(const struct page_list *list, struct spans *ret)
{
    for (size_t i = 0; i < list->n; i++)
        ASSERT(spans_append(ret, page_list_span(list, i)));
}

void plan_list_places(const struct footprint *const *place, size_t n, struct spans *ret)
{
    ret->n = 0;
    for (size_t i = 0; i < n; i++) {
        append_runs(&place[i]->data, ret);
        append_runs(&place[i]->tables, ret);
    }
    spans_sort(ret);
}

static uint64_t tested_bytes_in(const struct plan *plan, const struct page_list *list)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < list->n; i++) {
        struct span s = page_list_span(list, i);

        for (size_t k = 0; k < plan->ram.n; k++) {
            if (!plan->ram.piece[k].why)
                bytes += span_intersect(plan->ram.piece[k].span, s).size;
        }
    }
    return bytes;
}

uint64_t plan_tested_bytes(const struct plan *plan, const struct footprint *place)
{
    return tested_bytes_in(plan, &place->data) + tested_bytes_in(plan, &place->tables);
}

bool plan_includes_arena(const struct plan *plan)
{
    return plan_tested_bytes(plan, arena_footprint()) != 0;
}

void plan_list_outside(const struct plan *plan, struct spans *ret)
{
    const struct span reach = { PLAN_LOW_END, DIRECT_SIZE - PLAN_LOW_END };

    for (size_t i = 0; i < plan->ram.n; i++) {
        const struct piece *p = &plan->ram.piece[i];

        if (p->why == plan_exclusion[EXCLUDED_RANGE] || p->why == plan_exclusion[EXCLUDED_NODE])
            ASSERT(spans_append(ret, span_intersect(p->span, reach)));
    }
}

/* The line is for a GRUB that starts as okram was started, on the same map. */
static void make_grub_map(struct plan *plan, const struct boot_info *boot)
{
    static struct grub_map grub_map;
    struct span *entry = arena_alloc(MEMORY_ENTRIES_MAX(boot->n_regions) * sizeof(*entry));
    size_t n = memory_map_entries(&machine.map, boot->region, boot->n_regions, entry);
    struct page_run *piece = arena_alloc(n * sizeof(*piece));

    ASSERT(grub_map_init(&grub_map, piece, entry, n) == STATUS_OK);
    plan->limits.map = &grub_map;
}

void plan_make_limits(struct plan *plan, const struct boot_info *boot,
                      const struct options *options)
{
    plan->limits.max_patterns = options->max_patterns;
    plan->limits.max_ranges = options->max_ranges;
    if (!options->max_ranges)
        plan->limits.max_ranges =
            lines_map_room(machine.map.n_regions, boot->firmware == BOOT_BIOS);
    plan->newer_grub_takes_more = !options->max_ranges && boot->firmware == BOOT_UEFI;
    /* With more ranges the reader of the patterns is not GRUB. */
    if (boot->firmware == BOOT_BIOS && plan->limits.max_ranges <= GRUB_HOLES_MAX)
        make_grub_map(plan, boot);
}
