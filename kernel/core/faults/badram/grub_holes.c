// SPDX-License-Identifier: MIT
#include "badram/grub_holes.h"

#include "lib/minmax.h"
#include "lib/sort.h"

#define PAGE_ORDER_MAX 40

/* The blocks of a pattern are of 2^order pages each. */
static unsigned block_order(struct pattern p)
{
    return p.mask ? (unsigned)__builtin_ctzll(p.mask) - PAGE_SHIFT : PAGE_ORDER_MAX;
}

static uint64_t in_block(struct pattern p)
{
    return (UINT64_C(1) << block_order(p)) - 1;
}

/* The pattern of the first pages of p's blocks. */
static struct pattern block_starts(struct pattern p)
{
    return (struct pattern){ .addr = p.addr, .mask = p.mask | in_block(p) << PAGE_SHIFT };
}

enum status grub_map_init(struct grub_map *ret_map, struct page_run *piece,
                          const struct span *entry, size_t n)
{
    uint64_t last_end = 0;
    size_t n_pieces = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t first, end;

        if (entry[i].base < last_end || entry[i].base > PAGES_MAX << PAGE_SHIFT ||
            entry[i].size > (PAGES_MAX << PAGE_SHIFT) - entry[i].base)
            return STATUS_INVALID;
        last_end = span_end(entry[i]);
        first = align_up(entry[i].base, PAGE_SIZE) >> PAGE_SHIFT;
        end = align_up(last_end, PAGE_SIZE) >> PAGE_SHIFT;
        if (first < end)
            piece[n_pieces++] = (struct page_run){ first, end - first };
    }
    *ret_map = (struct grub_map){ piece, n_pieces };
    return STATUS_OK;
}

/* The first piece that ends above page; n_pieces when there is none. */
static size_t find_piece(const struct grub_map *map, uint64_t page)
{
    size_t low = 0, high = map->n_pieces;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (page_run_end(map->piece[middle]) > page)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Whether a block that begins at this page begins in a piece, earlier holes aside. */
static bool grub_map_contains(const struct grub_map *map, uint64_t page)
{
    size_t i = find_piece(map, page);

    return i < map->n_pieces && map->piece[i].first <= page;
}

void grub_holes_init(struct grub_holes *holes, struct grub_turn *turn, size_t max_turns,
                     uint64_t steps)
{
    *holes = (struct grub_holes){ .turn = turn, .max_turns = max_turns, .steps_left = steps };
}

static bool step(struct grub_holes *h)
{
    if (h->steps_left)
        h->steps_left--;
    return h->steps_left;
}

/* The end of the largest hole around page; page itself when it is in none. */
static uint64_t hole_end(const struct grub_holes *h, uint64_t page)
{
    uint64_t end = page;

    for (size_t i = 0; i < h->n_turns; i++) {
        const struct grub_turn *t = &h->turn[i];
        uint64_t last = page | in_block(t->pattern);

        if (last >= end && pattern_covers(t->pattern, page << PAGE_SHIFT) &&
            (page & ~in_block(t->pattern)) - t->run.first < t->run.count)
            end = last + 1;
    }
    return end;
}

bool grub_holes_contain(const struct grub_holes *holes, uint64_t page)
{
    return hole_end(holes, page) > page;
}

/* Where the first hole begins that does not begin below page; at most end. */
static uint64_t next_hole(const struct grub_holes *h, uint64_t page, uint64_t end)
{
    for (size_t i = 0; i < h->n_turns; i++) {
        const struct grub_turn *t = &h->turn[i];
        uint64_t from = max_u64(page, t->run.first), next;

        if (from >= end || from >= page_run_end(t->run))
            continue;
        next = pattern_next_page(block_starts(t->pattern), from);
        if (next < end && next < page_run_end(t->run))
            end = next;
    }
    return end;
}

/* The first page from page on that a block of `starts` begins on, in a piece: which one. */
static enum status find_start(struct grub_holes *h, const struct grub_map *map,
                              struct pattern starts, uint64_t *page, size_t *ret_piece)
{
    size_t i;

    while ((i = find_piece(map, *page)) < map->n_pieces) {
        if (*page < map->piece[i].first)
            *page = map->piece[i].first;
        if (!pattern_covers(starts, *page << PAGE_SHIFT)) {
            *page = pattern_next_page(starts, *page);
            continue;
        }
        *ret_piece = i;
        return step(h) ? STATUS_OK : STATUS_NO_SPACE;
    }
    return STATUS_NOT_FOUND;
}

static enum status add_turn(struct grub_holes *h, struct pattern p, uint64_t page, uint64_t end)
{
    struct page_extent extent = { .run = { page, end - page } };
    const struct page_index run = { &extent, 1, extent.run.count };

    if (h->n_turns == h->max_turns)
        return STATUS_NO_SPACE;
    h->n_holes += pattern_pages(block_starts(p), &run);
    h->turn[h->n_turns++] = (struct grub_turn){ p, extent.run };
    return STATUS_OK;
}

enum status grub_holes_take(struct grub_holes *holes, const struct grub_map *map, struct pattern p)
{
    const struct grub_turn *last = holes->n_turns ? &holes->turn[holes->n_turns - 1] : NULL;
    uint64_t page = 0, end;
    enum status status;
    size_t i;

    /* The turn before left no block up to its end: the same pattern goes on there. */
    if (last && last->pattern.addr == p.addr && last->pattern.mask == p.mask)
        page = page_run_end(last->run);
    for (;;) {
        status = find_start(holes, map, block_starts(p), &page, &i);
        if (status != STATUS_OK)
            return status;
        end = hole_end(holes, page);
        if (end == page)
            break;
        page = end;
    }
    status = add_turn(holes, p, page, next_hole(holes, page, page_run_end(map->piece[i])));
    return status == STATUS_OK && holes->n_holes > GRUB_HOLES_MAX ? STATUS_NO_SPACE : status;
}

enum status grub_holes_take_all(struct grub_holes *holes, const struct grub_map *map,
                                struct pattern p)
{
    enum status status;
    uint64_t page = 0;
    size_t i, n = 0;

    while ((status = find_start(holes, map, block_starts(p), &page, &i)) == STATUS_OK) {
        status = add_turn(holes, p, page, page_run_end(map->piece[i]));
        if (status != STATUS_OK)
            return status;
        page = page_run_end(map->piece[i]);
        n++;
    }
    return status == STATUS_NOT_FOUND && n ? STATUS_OK : status;
}

enum status grub_holes_left(struct grub_holes *holes, struct pattern p,
                            const struct page_index *space, uint64_t *ret_pages,
                            uint64_t *ret_first)
{
    uint64_t page = 0, pages = 0, first = PAGES_MAX;

    for (size_t i = 0; i < space->n_extents;) {
        struct page_run run = space->extent[i].run;
        uint64_t end;

        page = pattern_next_page(p, max_u64(page, run.first));
        if (page >= page_run_end(run)) {
            i = page_index_extent(space, page);
            continue;
        }
        if (!step(holes))
            return STATUS_NO_SPACE;
        end = hole_end(holes, page);
        if (end == page) {
            uint64_t last = page | in_block(p);

            end = last < page_run_end(run) ? last + 1 : page_run_end(run);
            end = next_hole(holes, page, end);
            first = pages ? first : page;
            pages += end - page;
        }
        page = end;
    }
    *ret_pages = pages;
    *ret_first = first;
    return STATUS_OK;
}

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
    unsigned order = block_order(p);
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
        unsigned order = block_order(p);

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
        struct pattern starts = block_starts(work->item[i]);

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
    return block_order(a) > block_order(b) && pattern_meets(block_starts(a), b);
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
    unsigned order_a = block_order(item[a]), order_b = block_order(item[b]);

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
