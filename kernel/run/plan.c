#include "run/plan.h"

#include "arch/paging.h"
#include "faults/lines.h"
#include "lib/panic.h"
#include "memory/arena.h"
#include "run/machine.h"
#include "run/notices.h"

#define WHY_ARENA     "okram itself"
#define WHY_RANGE     "outside range="
#define WHY_NODE      "its node is not in nodes="
#define WHY_PART_LINE "less than a line of 64 bytes"
#define WHY_STOPPED   "stopped before a test had gone over all memory"
#define WHY_TOO_HIGH  "above 64 TiB, out of okram's reach"

struct plan plan;
struct fault_log fault_log;
struct aliases aliases;
static struct page_space page_space;

static void add_ram(void)
{
    for (size_t i = 0; i < machine.map.n_regions; i++) {
        const struct memory_region *r = &machine.map.region[i];
        const char *why;

        if (!memory_kind_is_ram(r->kind))
            continue;
        why = r->kind == BOOT_REGION_USABLE  ? NULL
              : r->kind == BOOT_REGION_ARENA ? WHY_ARENA
                                             : memory_kind_name(r->kind);
        ASSERT(pieces_add(&plan.pieces, r->span, why) == STATUS_OK);
    }
}

static void exclude_outside_ranges(const struct options *options)
{
    uint64_t at = 0;

    if (!options->n_ranges)
        return;
    for (size_t i = 0; i < options->n_ranges; i++) {
        pieces_exclude(&plan.pieces, (struct span){ at, options->range[i].base - at }, WHY_RANGE);
        at = span_end(options->range[i]);
    }
    pieces_exclude(&plan.pieces, (struct span){ at, UINT64_MAX - at }, WHY_RANGE);
}

static void exclude_nodes(const struct options *options)
{
    for (uint32_t n = 0; n < machine.nodes.n_nodes; n++) {
        const struct node *node = &machine.nodes.node[n];

        if (id_set_contains(&options->nodes, node->domain))
            continue;
        for (size_t i = 0; i < node->n_spans; i++)
            pieces_exclude(&plan.pieces, machine.nodes.span[node->first_span + i], WHY_NODE);
    }
}

static void exclude_arena(void)
{
    const struct span *taken;
    size_t n = arena_spans(&taken);

    for (size_t i = 0; i < n; i++)
        pieces_exclude(&plan.pieces, taken[i], WHY_ARENA);
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
        plan.workers[plan.n_workers++] = (struct worker){ cpu, machine.cpu_node[cpu] };
    }
    if (!plan.n_workers) {
        warn_print(&notices, "cpus= names no CPU of this machine: cpu 0 is used");
        plan.workers[plan.n_workers++] = (struct worker){ 0, machine.cpu_node[0] };
    }
}

static void make_fault_log(void)
{
    size_t n = 0;
    struct span *ram = arena_alloc(machine.map.n_regions * sizeof(*ram));
    struct page_extent *extents = arena_alloc(machine.map.n_regions * sizeof(*extents));

    for (size_t i = 0; i < machine.map.n_regions; i++) {
        if (memory_kind_is_ram(machine.map.region[i].kind))
            ram[n++] = machine.map.region[i].span;
    }
    ASSERT(page_space_init(&page_space, extents, machine.map.n_regions, ram, n) == STATUS_OK);
    fault_log_init(&fault_log, &page_space, arena_alloc(fault_log_bitmap_bytes(&page_space)));
    aliases_init(&aliases, &fault_log, arena_alloc(aliases_bitmap_bytes(&page_space)));
}

/* The line is for a GRUB that starts as okram was started, on the same map. */
static void make_grub_map(const struct boot_info *boot)
{
    struct span *entry = arena_alloc(MEMORY_ENTRIES_MAX(boot->n_regions) * sizeof(*entry));
    size_t n = memory_map_entries(&machine.map, boot->region, boot->n_regions, entry);
    struct page_run *piece = arena_alloc(n * sizeof(*piece));

    ASSERT(grub_map_init(&plan.grub_map, piece, entry, n) == STATUS_OK);
    plan.limits.map = &plan.grub_map;
}

static void set_limits(const struct boot_info *boot, const struct options *options)
{
    plan.limits.max_patterns = options->max_patterns;
    plan.limits.max_ranges = options->max_ranges;
    if (!options->max_ranges)
        plan.limits.max_ranges = lines_map_room(machine.map.n_regions);
    /* Who wants more ranges has another reader of the patterns than GRUB. */
    if (boot->firmware == BOOT_BIOS && plan.limits.max_ranges <= GRUB_HOLES_MAX)
        make_grub_map(boot);
}

void plan_make(const struct boot_info *boot, const struct options *options)
{
    size_t max_parts;

    set_limits(boot, options);
    choose_workers(options);
    make_fault_log();
    /* Each thing left out may cut a piece in three. */
    plan.pieces.max =
        3 * (machine.map.n_regions + machine.nodes.n_spans + OPTIONS_RANGES_MAX) + 256;
    plan.pieces.piece = arena_alloc(plan.pieces.max * sizeof(*plan.pieces.piece));
    plan.untested = arena_alloc(plan.pieces.max * sizeof(*plan.untested));
    plan.first = arena_alloc((plan.n_workers + 1) * sizeof(*plan.first));
    max_parts = SHARES_PARTS_MAX(machine.nodes.n_spans, plan.pieces.max, machine.nodes.n_nodes,
                                 plan.n_workers);
    plan.part = arena_alloc(max_parts * sizeof(*plan.part));

    arena_close();
    add_ram();
    exclude_arena();
    pieces_exclude(&plan.pieces, (struct span){ DIRECT_SIZE, UINT64_MAX - DIRECT_SIZE },
                   WHY_TOO_HIGH);
    exclude_outside_ranges(options);
    exclude_nodes(options);
    pieces_trim_to_lines(&plan.pieces, WHY_PART_LINE);
    pieces_join(&plan.pieces);
    plan.tested_bytes = pieces_tested_bytes(&plan.pieces);
    shares_make(&machine.nodes, &plan.pieces, &machine.slit, plan.workers, plan.n_workers,
                plan.part, max_parts, plan.first);
}

void plan_nothing_tested(void)
{
    pieces_exclude(&plan.pieces, (struct span){ 0, UINT64_MAX }, WHY_STOPPED);
}
