// SPDX-License-Identifier: MIT
#include "plan/plan.h"

#include "acpi/non_ram_ranges.h"
#include "arch/paging.h"
#include "event/notices.h"
#include "lib/panic.h"
#include "lib/sort.h"
#include "lib/string.h"
#include "machine/error_sources.h"
#include "machine/machine.h"

/* From here to 1 MiB there are video memory, ROMs and firmware's data, whatever the map says. */
#define LOW_RAM_END (UINT64_C(640) << 10)

const char *const plan_exclusion[] = {
    [EXCLUDED_OKRAM] = "okram itself",
    [EXCLUDED_RANGE] = "outside range=",
    [EXCLUDED_NODE] = "its node is not in nodes=",
    [EXCLUDED_LATE_CPU] = "start page of a CPU that did not respond",
    [EXCLUDED_PART_LINE] = "less than a line of 64 bytes",
    [EXCLUDED_STOPPED] = "stopped before a test had gone over all memory",
    [EXCLUDED_HAMMER] = "row-hammer alone does not cover all memory",
    [EXCLUDED_TOO_HIGH] = "above 64 TiB, out of okram's reach",
    [EXCLUDED_PAGE_0] = "page 0: interrupt vectors and firmware's data",
    [EXCLUDED_LOW_ROM] = "640 KiB to 1 MiB: video memory and firmware",
    [EXCLUDED_LOWMEM] = "below 1 MiB, with lowmem=skip",
    [EXCLUDED_USB] = "USB controllers write to it, for keyboards",
    [EXCLUDED_ERROR_SOURCE] = "firmware reports hardware errors there",
};

struct plan plan;
struct fault_log fault_log;
struct aliases aliases;
struct external external;
struct low_memory low_memory;

/* Some firmware still uses its ACPI tables, for example in system management mode. */
static bool is_tested(enum boot_region_kind kind, const struct options *options)
{
    return kind == BOOT_REGION_USABLE || kind == BOOT_REGION_SPECIFIC ||
           (kind == BOOT_REGION_ACPI_RECLAIM && options->acpimem);
}

static void add_ram(const struct options *options)
{
    for (size_t i = 0; i < machine.map.n_regions; i++) {
        const struct memory_region *r = &machine.map.region[i];

        if (!memory_kind_is_ram(r->kind))
            continue;
        ASSERT(pieces_add(&plan.ram, r->span,
                          is_tested(r->kind, options) ? NULL : memory_kind_name(r->kind)) ==
               STATUS_OK);
    }
}

/* Before other reasons, for okram itself moves to what range= and nodes= leave out. */
static void exclude_fixed(void)
{
    const struct page_list *fixed = arena_fixed();

    for (size_t i = 0; i < fixed->n; i++)
        pieces_exclude(&plan.ram, page_list_span(fixed, i), plan_exclusion[EXCLUDED_USB]);
    for (size_t i = 0; i < error_sources_count(); i++) {
        struct span span[ERROR_SOURCE_SPANS];
        size_t n = error_source_spans(i, span);

        for (size_t k = 0; k < n; k++)
            pieces_exclude(&plan.ram, span[k], plan_exclusion[EXCLUDED_ERROR_SOURCE]);
    }
}

static void exclude_outside_ranges(const struct options *options)
{
    uint64_t at = 0;

    if (!options->n_ranges)
        return;
    for (size_t i = 0; i < options->n_ranges; i++) {
        pieces_exclude(&plan.ram, (struct span){ at, options->range[i].base - at },
                       plan_exclusion[EXCLUDED_RANGE]);
        at = span_end(options->range[i]);
    }
    pieces_exclude(&plan.ram, (struct span){ at, UINT64_MAX - at }, plan_exclusion[EXCLUDED_RANGE]);
}

static void exclude_nodes(const struct options *options)
{
    for (uint32_t n = 0; n < machine.nodes.n_nodes; n++) {
        const struct node *node = &machine.nodes.node[n];

        if (id_set_contains(&options->nodes, node->domain))
            continue;
        for (size_t i = 0; i < node->n_spans; i++)
            pieces_exclude(&plan.ram, machine.nodes.span[node->first_span + i],
                           plan_exclusion[EXCLUDED_NODE]);
    }
}

static void exclude_low(const struct options *options)
{
    pieces_exclude(&plan.ram, (struct span){ 0, PAGE_SIZE }, plan_exclusion[EXCLUDED_PAGE_0]);
    pieces_exclude(&plan.ram, (struct span){ LOW_RAM_END, PLAN_LOW_END - LOW_RAM_END },
                   plan_exclusion[EXCLUDED_LOW_ROM]);
    if (options->lowmem == OPTION_LOWMEM_SKIP)
        pieces_exclude(&plan.ram, (struct span){ 0, PLAN_LOW_END },
                       plan_exclusion[EXCLUDED_LOWMEM]);
}

static void choose_workers(const struct options *options)
{
    plan.workers = arena_alloc(machine.n_online * sizeof(*plan.workers));
    plan.worker_cpus = arena_alloc(machine.n_online * sizeof(*plan.worker_cpus));
    for (uint32_t i = 0; i < machine.n_online; i++) {
        uint32_t cpu = machine.online[i];

        if (!id_set_contains(&options->cpus, cpu))
            continue;
        plan.worker_cpus[plan.n_workers] = cpu;
        plan.workers[plan.n_workers++] =
            (struct worker){ .cpu = cpu, .node = machine.cpu_node[cpu] };
    }
    if (!plan.n_workers) {
        warn_print(&notices, "cpus= lists no CPU of this machine: cpu 0 is used");
        plan.workers[plan.n_workers++] = (struct worker){ .node = machine.cpu_node[0] };
    }
}

static void allocate_ram(void)
{
    /* Each thing left out may cut a piece in three. */
    plan.ram.max = 3 * (machine.map.n_regions + machine.nodes.n_spans + OPTIONS_RANGES_MAX +
                        arena_fixed()->n + ERROR_SOURCE_SPANS * error_sources_count()) +
                   256;
    plan.ram.piece = arena_alloc(plan.ram.max * sizeof(*plan.ram.piece));
}

static void choose_pieces(const struct options *options)
{
    add_ram(options);
    exclude_fixed();
    exclude_outside_ranges(options);
    exclude_nodes(options);
    exclude_low(options);
    plan.wanted_bytes = pieces_tested_bytes(&plan.ram);
    if (machine.late_cpu_page)
        pieces_exclude(&plan.ram, (struct span){ machine.late_cpu_page, PAGE_SIZE },
                       plan_exclusion[EXCLUDED_LATE_CPU]);
    pieces_exclude(&plan.ram, (struct span){ DIRECT_SIZE, UINT64_MAX - DIRECT_SIZE },
                   plan_exclusion[EXCLUDED_TOO_HIGH]);
    pieces_trim_to_lines(&plan.ram, plan_exclusion[EXCLUDED_PART_LINE]);
    pieces_join(&plan.ram);
    plan.tested_bytes = pieces_tested_bytes(&plan.ram);
}

void plan_make(const struct options *options)
{
    plan.tolerate_low_changes = options->lowmem == OPTION_LOWMEM_TOLERATE;
    choose_workers(options);
    allocate_ram();
    choose_pieces(options);
}

void plan_allocate(void)
{
    const struct memory_tables tables = machine_memory_tables();
    const struct piece *chosen = plan.ram.piece;
    size_t place_cuts = 2 * footprint_runs(); /* each span cuts a piece in three */

    plan.ram.max += 2 * place_cuts; /* two places may be left out at the end: plan/tested.h */
    plan.ram.piece = arena_alloc(plan.ram.max * sizeof(*plan.ram.piece));
    memcpy(plan.ram.piece, chosen, plan.ram.n * sizeof(*chosen));
    plan.untested =
        arena_alloc((plan.ram.max + non_ram_ranges_max(&tables)) * sizeof(*plan.untested));
    plan.pieces.max = plan.ram.max + place_cuts;
    plan.pieces.piece = arena_alloc(plan.pieces.max * sizeof(*plan.pieces.piece));
    plan.first = arena_alloc((plan.n_workers + 1) * sizeof(*plan.first));
    plan.max_parts = SHARES_PARTS_MAX(machine.nodes.n_spans, plan.pieces.max, machine.nodes.n_nodes,
                                      plan.n_workers);
    plan.part = arena_alloc(plan.max_parts * sizeof(*plan.part));
    plan.spans = arena_alloc(plan.max_parts * sizeof(*plan.spans));
    plan.order = arena_alloc(plan.max_parts * sizeof(*plan.order));
}

static size_t add_place(size_t n, const struct footprint *where)
{
    for (size_t i = 0; i < where->data.n; i++)
        plan.spans[n++] = page_list_span(&where->data, i);
    for (size_t i = 0; i < where->tables.n; i++)
        plan.spans[n++] = page_list_span(&where->tables, i);
    return n;
}

size_t plan_list_place(const struct footprint *place)
{
    return add_place(0, place);
}

size_t plan_list_places(const struct footprint *const *place, size_t n)
{
    size_t n_spans = 0;

    for (size_t i = 0; i < n; i++)
        n_spans = add_place(n_spans, place[i]);
    return n_spans;
}

void plan_list_tested(size_t n, struct pieces *ret)
{
    sort_spans(plan.spans, n);
    ASSERT(pieces_within(&plan.ram, plan.spans, n, ret) == STATUS_OK);
}

static bool includes(struct span s)
{
    for (size_t i = 0; i < plan.ram.n; i++) {
        if (!plan.ram.piece[i].why && span_intersect(plan.ram.piece[i].span, s).size)
            return true;
    }
    return false;
}

static bool includes_any(const struct page_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        if (includes(page_list_span(list, i)))
            return true;
    }
    return false;
}

bool plan_includes_arena(void)
{
    const struct footprint *okram = arena_footprint();

    return includes_any(&okram->data) || includes_any(&okram->tables);
}

size_t plan_list_outside(struct span *ret)
{
    const struct span reach = { PLAN_LOW_END, DIRECT_SIZE - PLAN_LOW_END };
    size_t n = 0;

    for (size_t i = 0; i < plan.ram.n; i++) {
        const struct piece *p = &plan.ram.piece[i];
        struct span s = span_intersect(p->span, reach);

        if ((p->why == plan_exclusion[EXCLUDED_RANGE] || p->why == plan_exclusion[EXCLUDED_NODE]) &&
            s.size)
            ret[n++] = s;
    }
    return n;
}
