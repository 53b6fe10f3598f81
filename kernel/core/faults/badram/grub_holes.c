// SPDX-License-Identifier: MIT
#include "badram/grub_holes.h"

#include "lib/minmax.h"

#define PAGE_ORDER_MAX 40

unsigned grub_block_order(struct pattern p)
{
    return p.mask ? (unsigned)__builtin_ctzll(p.mask) - PAGE_SHIFT : PAGE_ORDER_MAX;
}

static uint64_t in_block(struct pattern p)
{
    return (UINT64_C(1) << grub_block_order(p)) - 1;
}

struct pattern grub_block_starts(struct pattern p)
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

bool grub_map_contains(const struct grub_map *map, uint64_t page)
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
        next = pattern_next_page(grub_block_starts(t->pattern), from);
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
    h->n_holes += pattern_pages(grub_block_starts(p), &run);
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
        status = find_start(holes, map, grub_block_starts(p), &page, &i);
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

    while ((status = find_start(holes, map, grub_block_starts(p), &page, &i)) == STATUS_OK) {
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
