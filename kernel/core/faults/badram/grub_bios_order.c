// SPDX-License-Identifier: MIT
#include "badram/grub_bios_order.h"

#include "lib/minmax.h"
#include "lib/sort.h"

/* Of one simulation: most lines take some hundred. */
#define STEPS_MAX 32768

static enum status add_item(struct grub_bios_order_work *work, struct pattern p)
{
    if (work->n_items == GRUB_PAIRS_MAX)
        return STATUS_NO_SPACE;
    work->item[work->n_items++] = p;
    return STATUS_OK;
}

/* The parts of a block that hold RAM, halved until each begins in a piece. */
static enum status add_parts(const struct grub_map *map, const struct page_index *space,
                             uint64_t first, unsigned order, struct grub_bios_order_work *work)
{
    struct pattern block = pattern_block(first, order);
    enum status status;

    if (pattern_pages(block, space) == 0)
        return STATUS_OK;
    if (grub_map_contains(map, first))
        return add_item(work, block);
    if (order == 0)
        return STATUS_NO_SPACE;
    status = add_parts(map, space, first, order - 1, work);
    if (status != STATUS_OK)
        return status;
    return add_parts(map, space, first + (UINT64_C(1) << (order - 1)), order - 1, work);
}

/*
 * The block of p that begins in a gap between pieces and reaches over the gap's end; there is at
 * most one.
 */
static enum status add_block_of_gap(const struct grub_map *map, const struct page_index *space,
                                    struct pattern p, struct page_run gap,
                                    struct grub_bios_order_work *work)
{
    unsigned order = grub_block_order(p);
    uint64_t end = page_run_end(gap), first = end >> order << order;

    if (end == PAGES_MAX || first < gap.first || first == end ||
        !pattern_covers(p, end << PAGE_SHIFT))
        return STATUS_OK;
    return add_parts(map, space, first, order, work);
}

/* A page in a gap may hold RAM that begins within the page: no block can begin there. */
static bool lies_open(const struct page_index *space, struct pattern p, struct page_run gap)
{
    uint64_t end = page_run_end(gap), page = gap.first;

    for (size_t i = page_index_extent(space, page); i < space->n_extents; i++) {
        struct page_run run = space->extent[i].run;
        uint64_t run_end = min_u64(page_run_end(run), end);
        unsigned order = grub_block_order(p);

        page = pattern_next_page(p, max_u64(run.first, gap.first));
        /* What a block covers that begins before the gap does not count here. */
        if (page < run_end && page >> order << order < gap.first)
            page = pattern_next_page(p, ((page >> order) + 1) << order);
        if (page < run_end)
            return true;
        if (run_end == end)
            break;
    }
    return false;
}

static enum status add_what_begins_in_gaps(const struct grub_map *map,
                                           const struct page_index *space, struct pattern p,
                                           struct grub_bios_order_work *work)
{
    struct page_run gap = { 0, 0 };

    for (size_t i = 0; i <= map->n_pieces; i++) {
        uint64_t end = i < map->n_pieces ? map->piece[i].first : PAGES_MAX;
        enum status status;

        gap.count = end - gap.first;
        if (gap.count) {
            if (lies_open(space, p, gap))
                return STATUS_NO_SPACE;
            status = add_block_of_gap(map, space, p, gap, work);
            if (status != STATUS_OK)
                return status;
        }
        if (i < map->n_pieces)
            gap.first = page_run_end(map->piece[i]);
    }
    return STATUS_OK;
}

static enum status make_items(const struct grub_map *map, const struct page_index *space,
                              const struct pattern *pattern, size_t n,
                              struct grub_bios_order_work *work)
{
    work->n_items = 0;
    for (size_t i = 0; i < n; i++) {
        enum status status = add_item(work, pattern[i]);

        if (status == STATUS_OK)
            status = add_what_begins_in_gaps(map, space, pattern[i], work);
        if (status != STATUS_OK)
            return status;
    }
    for (size_t i = 0; i < work->n_items; i++) {
        struct pattern starts = grub_block_starts(work->item[i]);

        work->n_blocks[i] = 0;
        for (size_t k = 0; k < map->n_pieces; k++) {
            struct page_extent extent = { .run = map->piece[k] };

            work->n_blocks[i] +=
                pattern_pages(starts, &(struct page_index){ &extent, 1, extent.run.count });
        }
    }
    return STATUS_OK;
}

/*
 * Whether a's blocks are larger and may begin where b covers: had b its turns first, what a covers
 * next to b's smaller blocks would be lost.
 */
static bool must_precede(struct pattern a, struct pattern b)
{
    return grub_block_order(a) > grub_block_order(b) && pattern_meets(grub_block_starts(a), b);
}

/* Nests no deeper than there are sizes of blocks: each call is for a larger one. */
static void place(struct grub_bios_order_work *work, size_t i)
{
    if (work->placed[i])
        return;
    work->placed[i] = true;
    for (size_t k = 0; k < work->n_items; k++) {
        if (!work->placed[work->sorted[k]] &&
            must_precede(work->item[work->sorted[k]], work->item[i]))
            place(work, work->sorted[k]);
    }
    work->order[work->n_placed++] = (uint16_t)i;
}

enum criterion { BY_BLOCKS, BY_SIZE, BY_ADDRESS, CRITERIA };

struct ordering {
    const struct grub_bios_order_work *work;
    enum criterion criterion;
};

/* Where the criterion does not decide, in the order given. */
static bool sorts_before(const void *ctx, const void *left, const void *right)
{
    const struct ordering *o = ctx;
    uint16_t a = *(const uint16_t *)left, b = *(const uint16_t *)right;
    const struct pattern *item = o->work->item;
    const uint64_t *n_blocks = o->work->n_blocks;
    unsigned order_a = grub_block_order(item[a]), order_b = grub_block_order(item[b]);

    if (o->criterion == BY_ADDRESS)
        return item[a].addr != item[b].addr ? item[a].addr < item[b].addr : a < b;
    if (o->criterion == BY_SIZE && order_a != order_b)
        return order_a > order_b;
    return n_blocks[a] != n_blocks[b] ? n_blocks[a] > n_blocks[b] : a < b;
}

static void sort_items(struct grub_bios_order_work *work, enum criterion criterion)
{
    for (size_t i = 0; i < work->n_items; i++) {
        work->sorted[i] = (uint16_t)i;
        work->placed[i] = false;
    }
    sort(work->sorted, work->n_items, sizeof(work->sorted[0]), sorts_before,
         &(struct ordering){ work, criterion });
    work->n_placed = 0;
    for (size_t k = 0; k < work->n_items; k++)
        place(work, work->sorted[k]);
}

/* Every item takes its turns; after that nothing of it may be left. */
static enum status simulate(const struct grub_map *map, const struct page_index *space,
                            size_t max_pairs, struct grub_bios_order_work *work, size_t *ret_n)
{
    struct grub_holes holes;

    grub_holes_init(&holes, work->turn, max_pairs, STEPS_MAX);
    for (size_t k = 0; k < work->n_items; k++) {
        enum status status;

        do {
            status = grub_holes_take(&holes, map, work->item[work->order[k]]);
        } while (status == STATUS_OK);
        if (status != STATUS_NOT_FOUND)
            return status;
    }
    for (size_t i = 0; i < work->n_items; i++) {
        uint64_t pages, first;
        enum status status = grub_holes_left(&holes, work->item[i], space, &pages, &first);

        if (status != STATUS_OK || pages)
            return STATUS_NO_SPACE;
    }
    *ret_n = holes.n_turns;
    return STATUS_OK;
}

enum status grub_bios_order_arrange(const struct grub_map *map, const struct page_index *space,
                                    const struct pattern *pattern, size_t n, size_t max_pairs,
                                    struct grub_bios_order_work *work, struct pattern *ret_pair,
                                    size_t *ret_n)
{
    enum status result = STATUS_NO_SPACE;

    if (max_pairs > GRUB_PAIRS_MAX)
        max_pairs = GRUB_PAIRS_MAX;
    if (make_items(map, space, pattern, n, work) != STATUS_OK)
        return STATUS_NO_SPACE;
    for (enum criterion criterion = 0; criterion < CRITERIA && max_pairs; criterion++) {
        size_t n_turns;

        sort_items(work, criterion);
        if (simulate(map, space, max_pairs, work, &n_turns) != STATUS_OK)
            continue;
        for (size_t i = 0; i < n_turns; i++)
            ret_pair[i] = work->turn[i].pattern;
        *ret_n = n_turns;
        max_pairs = n_turns ? n_turns - 1 : 0; /* the next must do with fewer */
        result = STATUS_OK;
    }
    return result;
}
