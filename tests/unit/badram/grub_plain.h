// SPDX-License-Identifier: MIT
/*
 * GRUB's badram on a small machine, page by page: what kernel/core/faults/badram/grub_holes.h tells
 * by arithmetic, by walking. Entries are whole pages.
 */
#pragma once

#include "badram/grub_holes.h"
#include "machine.h"

#define PLAIN_PAGES   256
#define PLAIN_ENTRIES 12

struct plain {
    struct span entry[PLAIN_ENTRIES]; /* as GRUB has them: of different kind where they touch */
    bool is_ram[PLAIN_ENTRIES];
    size_t n;
    int entry_of[PLAIN_PAGES]; /* -1: gap */
    bool hole[PLAIN_PAGES];

    struct page_run piece[PLAIN_ENTRIES];
    struct grub_map map;
    struct machine *machine;
};

static inline void plain_add(struct plain *p, uint64_t first, uint64_t end, bool is_ram)
{
    assert_true(p->n < PLAIN_ENTRIES && end <= PLAIN_PAGES);
    p->entry[p->n] = (struct span){ first << PAGE_SHIFT, (end - first) << PAGE_SHIFT };
    p->is_ram[p->n++] = is_ram;
}

/* After the last entry. */
static inline void plain_ready(struct plain *p)
{
    struct span ram[PLAIN_ENTRIES + 1] = { { 0 } };
    size_t n_ram = 0;

    for (int page = 0; page < PLAIN_PAGES; page++) {
        p->entry_of[page] = -1;
        p->hole[page] = false;
    }
    for (size_t i = 0; i < p->n; i++) {
        uint64_t end = span_end(p->entry[i]) >> PAGE_SHIFT;

        for (uint64_t page = p->entry[i].base >> PAGE_SHIFT; page < end; page++)
            p->entry_of[page] = (int)i;
        if (p->is_ram[i])
            ram[n_ram++] = p->entry[i];
    }
    assert_int_equal(grub_map_init(&p->map, p->piece, p->entry, p->n), STATUS_OK);
    p->machine = machine_make(ram);
}

static inline bool plain_begins_block(struct pattern p, uint64_t page)
{
    uint64_t block = p.mask & -p.mask;

    return pattern_covers(p, page << PAGE_SHIFT) && (page << PAGE_SHIFT) % block == 0;
}

/* The blocks that begin in [first, end); returns how many. */
static inline int plain_register(struct plain *p, struct pattern pattern, int first, int end)
{
    int block = (int)((pattern.mask & -pattern.mask) >> PAGE_SHIFT), n = 0;

    for (int page = first; page < end; page++) {
        if (!plain_begins_block(pattern, (uint64_t)page))
            continue;
        n++;
        for (int k = page; k < page + block && k < PLAIN_PAGES; k++)
            p->hole[k] = true;
    }
    return n;
}

/* One pair, whose walk goes on over `more` pieces after the first that counts. Returns whether
 * anything was registered. */
static inline bool plain_take(struct plain *p, struct pattern pattern, int more)
{
    bool was_hole[PLAIN_PAGES], any = false;

    memcpy(was_hole, p->hole, sizeof(was_hole));
    for (int page = 0, end; page < PLAIN_PAGES; page = end) {
        for (end = page + 1; end < PLAIN_PAGES && p->entry_of[end] == p->entry_of[page] &&
                             was_hole[end] == was_hole[page];)
            end++;
        if (p->entry_of[page] < 0 || was_hole[page] || !plain_register(p, pattern, page, end))
            continue;
        any = true;
        if (more-- == 0)
            break;
    }
    return any;
}

static inline void plain_free(struct plain *p)
{
    machine_free(p->machine);
}

/* Entries and gaps at random; touching ones differ in kind, as all do here. */
static inline void plain_make_random(struct plain *p, uint64_t *random)
{
    uint64_t page = machine_random(random) % 3 * 8;

    *p = (struct plain){ 0 };
    while (p->n < PLAIN_ENTRIES && page < PLAIN_PAGES) {
        uint64_t end = page + 1 + machine_random(random) % 64;

        end = end < PLAIN_PAGES ? end : PLAIN_PAGES;
        plain_add(p, page, end, machine_random(random) % 3 != 0);
        page = end + (machine_random(random) % 2 ? machine_random(random) % 20 : 0);
    }
    p->is_ram[0] = true;
    plain_ready(p);
}

/* Some free bits among those of the small machine's pages. */
static inline struct pattern plain_random_pattern(uint64_t *random)
{
    uint64_t free = machine_random(random) & machine_random(random) & (PLAIN_PAGES - 1);
    uint64_t mask = PATTERN_MASK_BITS & ~(free << PAGE_SHIFT);

    if (machine_random(random) % 3 == 0)
        mask &= ~UINT64_C(0x3000);
    return (struct pattern){
        machine_random(random) % PLAIN_PAGES << PAGE_SHIFT & mask,
        mask,
    };
}
