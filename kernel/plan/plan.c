// SPDX-License-Identifier: MIT
#include "plan/plan.h"

#include "arch/paging.h"
#include "bootcfg/lines.h"
#include "event/notices.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "plan/apart.h"
#include "plan/share.h"
#include "self/log_memory.h"
#include "self/move.h"
#include "self/own_aliases.h"
#include "self/probe.h"
#include "self/self_check.h"

#define WHY_ARENA     "okram itself"
#define WHY_RANGE     "outside range="
#define WHY_NODE      "its node is not in nodes="
#define WHY_LATE_CPU  "okram itself: a CPU that comes late starts there"
#define WHY_PART_LINE "less than a line of 64 bytes"
#define WHY_STOPPED   "stopped before a test had gone over all memory"
#define WHY_TOO_HIGH  "above 64 TiB, out of okram's reach"

/* The fault log's bits for memory that is not tested, at most: 32 KiB of each part. */
#define OTHERS_MARKED_BYTES (UINT64_C(1) << 30)

/* Below, other CPUs start. */
#define OUTSIDE_BASE (UINT64_C(1) << 20)

struct plan plan;
struct fault_log fault_log;
struct aliases aliases;
static struct page_space all_ram, marked;

static struct pieces others; /* of those that are tested with what okram has left */
static size_t max_parts;

/* Of how far the tests have come. */
static struct arena_place first_place; /* where okram lived when one had gone over the main part */
static uint32_t moves_before;          /* that had led there */
static bool main_is_tested, all_is_tested;

/* What firmware needs no more once its tables have been read, and what the loader used. */
static bool is_tested(enum boot_region_kind kind)
{
    return kind == BOOT_REGION_USABLE || kind == BOOT_REGION_ACPI_RECLAIM;
}

static void add_ram(void)
{
    for (size_t i = 0; i < machine.map.n_regions; i++) {
        const struct memory_region *r = &machine.map.region[i];

        if (!memory_kind_is_ram(r->kind))
            continue;
        ASSERT(pieces_add(&plan.ram, r->span,
                          is_tested(r->kind) ? NULL : memory_kind_name(r->kind)) == STATUS_OK);
    }
}

static void exclude_outside_ranges(const struct options *options)
{
    uint64_t at = 0;

    if (!options->n_ranges)
        return;
    for (size_t i = 0; i < options->n_ranges; i++) {
        pieces_exclude(&plan.ram, (struct span){ at, options->range[i].base - at }, WHY_RANGE);
        at = span_end(options->range[i]);
    }
    pieces_exclude(&plan.ram, (struct span){ at, UINT64_MAX - at }, WHY_RANGE);
}

static void exclude_nodes(const struct options *options)
{
    for (uint32_t n = 0; n < machine.nodes.n_nodes; n++) {
        const struct node *node = &machine.nodes.node[n];

        if (id_set_contains(&options->nodes, node->domain))
            continue;
        for (size_t i = 0; i < node->n_spans; i++)
            pieces_exclude(&plan.ram, machine.nodes.span[node->first_span + i], WHY_NODE);
    }
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

/* What is tested, and the first of the rest: there okram lives, and its pages may be bad, too. */
static size_t list_marked(struct span *ret)
{
    uint64_t left = OTHERS_MARKED_BYTES;
    size_t n = 0;

    for (size_t i = 0; i < plan.ram.n; i++) {
        struct span s = plan.ram.piece[i].span;

        if (plan.ram.piece[i].why) {
            s.size = s.size < left ? s.size : left;
            left -= s.size;
        }
        ret[n++] = s;
    }
    return n;
}

static void make_fault_log(void)
{
    size_t max = plan.ram.n > machine.map.n_regions ? plan.ram.n : machine.map.n_regions;
    size_t n_extents = machine.map.n_regions + plan.ram.n;
    struct page_extent *extents = arena_alloc(n_extents * sizeof(*extents));
    struct span *span = arena_alloc(max * sizeof(*span));

    ASSERT(page_space_init(&all_ram, extents, machine.map.n_regions, span, list_ram(span)) ==
           STATUS_OK);
    ASSERT(page_space_init(&marked, extents + machine.map.n_regions, plan.ram.n, span,
                           list_marked(span)) == STATUS_OK);
    log_memory_begin(&fault_log, &marked);
    fault_log_set_ram(&fault_log, &all_ram);
    self_check_guard(extents, n_extents * sizeof(*extents));
    aliases_init(&aliases, &fault_log, arena_alloc(aliases_bitmap_bytes(&marked)));
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

/* They are found again where they are tested; they count where they are not, too. */
static void log_bad_pages(void)
{
    const uint64_t *page;
    size_t n = probe_bad_pages(&page);

    for (size_t i = 0; i < n; i++)
        fault_log_mark_page(&fault_log, page[i]);
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

/* okram's place, in any order: in plan.spans. */
static size_t list_arena(const struct arena_place *where)
{
    size_t n = 0;

    for (size_t i = 0; i < where->data.n; i++)
        plan.spans[n++] = place_span(&where->data, i);
    for (size_t i = 0; i < where->tables.n; i++)
        plan.spans[n++] = place_span(&where->tables, i);
    return n;
}

/* By address; insertion sort: there are few, and they are nearly sorted. */
static void sort_spans(struct span *span, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct span s = span[i];
        size_t j = i;

        for (; j && span[j - 1].base > s.base; j--)
            span[j] = span[j - 1];
        span[j] = s;
    }
}

static void share_now(void)
{
    ASSERT(shares_make(&machine.nodes, &plan.pieces, &machine.slit, plan.workers, plan.n_workers,
                       plan.part, max_parts, plan.first) == STATUS_OK);
    share_prepare();
}

void plan_share_main(void)
{
    ASSERT(pieces_outside(&plan.ram, plan.spans, list_arena(arena_where()), &plan.pieces) ==
           STATUS_OK);
    share_now();
}

/* Adds what of `also` is outside of the n spans of plan.spans; returns how many they are then. */
static size_t add_others(size_t n, const struct pieces *also)
{
    ASSERT(pieces_outside(also, plan.spans, n, &others) == STATUS_OK);
    for (size_t i = 0; i < others.n; i++)
        plan.spans[n++] = others.piece[i].span;
    return n;
}

void plan_share_left(const struct arena_place *left, const struct pieces *also)
{
    size_t n = list_arena(left);

    if (also)
        n = add_others(n, also);
    sort_spans(plan.spans, n);
    ASSERT(pieces_within(&plan.ram, plan.spans, n, &plan.pieces) == STATUS_OK);
    share_now();
}

void plan_list_tested(const struct arena_place *place, struct pieces *ret)
{
    size_t n = list_arena(place);

    sort_spans(plan.spans, n);
    ASSERT(pieces_within(&plan.ram, plan.spans, n, ret) == STATUS_OK);
}

bool plan_includes_arena(void)
{
    size_t n = list_arena(arena_where());

    for (size_t i = 0; i < n; i++) {
        for (size_t p = 0; p < plan.ram.n; p++) {
            if (!plan.ram.piece[p].why &&
                span_intersect(plan.ram.piece[p].span, plan.spans[i]).size)
                return true;
        }
    }
    return false;
}

size_t plan_list_outside(struct span *ret)
{
    const struct span reach = { OUTSIDE_BASE, DIRECT_SIZE - OUTSIDE_BASE };
    size_t n = 0;

    for (size_t i = 0; i < plan.ram.n; i++) {
        const struct piece *p = &plan.ram.piece[i];
        struct span s = span_intersect(p->span, reach);

        if (p->why && (!strcmp(p->why, WHY_RANGE) || !strcmp(p->why, WHY_NODE)) && s.size)
            ret[n++] = s;
    }
    return n;
}

static void allocate_ram(void)
{
    /* Each thing left out may cut a piece in three. */
    plan.ram.max =
        3 * (machine.map.n_regions + machine.nodes.n_spans + OPTIONS_RANGES_MAX) + 256;
    plan.ram.piece = arena_alloc(plan.ram.max * sizeof(*plan.ram.piece));
}

/* Once most of okram's memory is there: where it is cuts pieces, too, each span one in three. */
static void allocate(void)
{
    const struct piece *chosen = plan.ram.piece;
    size_t place_cuts = 2 * arena_place_runs();

    plan.ram.max += place_cuts;
    plan.ram.piece = arena_alloc(plan.ram.max * sizeof(*plan.ram.piece));
    memcpy(plan.ram.piece, chosen, plan.ram.n * sizeof(*chosen));
    plan.untested = arena_alloc(plan.ram.max * sizeof(*plan.untested));
    plan.pieces.max = plan.ram.max + place_cuts;
    plan.pieces.piece = arena_alloc(plan.pieces.max * sizeof(*plan.pieces.piece));
    plan.first = arena_alloc((plan.n_workers + 1) * sizeof(*plan.first));
    max_parts = SHARES_PARTS_MAX(machine.nodes.n_spans, plan.pieces.max, machine.nodes.n_nodes,
                                 plan.n_workers);
    plan.part = arena_alloc(max_parts * sizeof(*plan.part));
    plan.spans = arena_alloc(max_parts * sizeof(*plan.spans));
    plan.order = arena_alloc(max_parts * sizeof(*plan.order));
    arena_place_make(&first_place);
}

/* Borders of what is tested cut a place, and a place cuts another. */
static void allocate_apart(void)
{
    size_t of_a_place = plan.ram.n + arena_place_runs();

    apart_prepare(of_a_place);
    others.max = of_a_place + 2 * arena_place_runs();
    others.piece = arena_alloc(others.max * sizeof(*others.piece));
}

static void choose_pieces(const struct options *options)
{
    add_ram();
    exclude_outside_ranges(options);
    exclude_nodes(options);
    plan.wanted_bytes = pieces_tested_bytes(&plan.ram);
    if (machine.late_cpu_page)
        pieces_exclude(&plan.ram, (struct span){ machine.late_cpu_page, PAGE_SIZE }, WHY_LATE_CPU);
    pieces_exclude(&plan.ram, (struct span){ DIRECT_SIZE, UINT64_MAX - DIRECT_SIZE }, WHY_TOO_HIGH);
    pieces_trim_to_lines(&plan.ram, WHY_PART_LINE);
    pieces_join(&plan.ram);
    plan.tested_bytes = pieces_tested_bytes(&plan.ram);
}

void plan_make(const struct boot_info *boot, const struct options *options)
{
    set_limits(boot, options);
    choose_workers(options);
    allocate_ram();
    choose_pieces(options);
    make_fault_log();
    log_bad_pages();
    self_check_begin();
    allocate();
    allocate_apart();
    move_prepare();
    own_aliases_prepare();
    arena_close();
    plan_share_main();
}

void plan_main_is_tested(void)
{
    if (!main_is_tested) {
        main_is_tested = true;
        ASSERT(arena_place_copy(&first_place, arena_where()) == STATUS_OK);
        moves_before = arena_moves();
    }
    /* okram moves out of where it lived, and what it has left is in the main part of the next. */
    all_is_tested |= arena_moves() != moves_before;
}

void plan_left_is_tested(void)
{
    all_is_tested = true;
}

bool plan_is_complete(uint64_t tested_bytes)
{
    return tested_bytes && plan.wanted_bytes - tested_bytes <= plan.wanted_bytes / 100;
}

void plan_end(void)
{
    size_t n;

    if (!main_is_tested) {
        pieces_exclude(&plan.ram, (struct span){ 0, UINT64_MAX }, WHY_STOPPED);
        return;
    }
    if (all_is_tested)
        return;
    n = list_arena(&first_place);
    for (size_t i = 0; i < n; i++)
        pieces_exclude(&plan.ram, plan.spans[i], WHY_ARENA);
    pieces_join(&plan.ram);
}
