// SPDX-License-Identifier: MIT
/*
 * What GRUB's badram makes of patterns on BIOS, as far as it goes wrong there.
 *
 * GRUB walks its memory map once for each pair of the line (grub-core/mmap/mmap.c, read in 2.06).
 * The map's *pieces* are what firmware names, of whatever kind, cut by the *holes* that earlier
 * pairs have registered; gaps and holes are not pieces. In each piece the pattern's blocks that
 * begin there are registered, each as a whole, even where it reaches over the piece's end. But the
 * first registration breaks the walk, so that no later piece may be counted on: one *turn* takes
 * the first piece in which a block begins, and the same pair must be written again for the next. A
 * block that begins in no piece is never registered, though part of it may be RAM.
 *
 * GRUB for UEFI registers elsewhere, and its walk stays whole: all pieces are taken at once.
 *
 * Holes are not listed but derived from the turns that made them. Exact for lines of any order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "badram/pattern.h"
#include "lib/span.h"
#include "lib/status.h"

/* GRUB sorts all holes by bubble sort at each pair: more take it minutes. */
#define GRUB_HOLES_MAX 4096

/* Pages on whose first byte a block can begin; by address, disjoint. Where two touch GRUB sees a
 * change of kind. */
struct grub_map {
    const struct page_run *piece;
    size_t n_pieces;
};

/* Registered: the pattern's blocks that begin in the run. */
struct grub_turn {
    struct pattern pattern;
    struct page_run run;
};

struct grub_holes {
    struct grub_turn *turn;
    size_t n_turns, max_turns;
    uint64_t n_holes;
    uint64_t steps_left; /* each call takes some, and ends with STATUS_NO_SPACE at 0 */
};

/* The blocks of a pattern: 2^order pages each. */
unsigned grub_block_order(struct pattern p);

/* The pattern of the first pages of p's blocks. */
struct pattern grub_block_starts(struct pattern p);

/*
 * The map of n spans, sorted by address and disjoint, one for each entry that GRUB sees. piece[]
 * has room for n and stays in use. STATUS_INVALID: not sorted, overlapping, or beyond 2^52.
 */
enum status grub_map_init(struct grub_map *ret_map, struct page_run *piece,
                          const struct span *entry, size_t n);

/* Whether a block that begins at this page begins in a piece, earlier holes aside. */
bool grub_map_contains(const struct grub_map *map, uint64_t page);

/* No hole yet. */
void grub_holes_init(struct grub_holes *holes, struct grub_turn *turn, size_t max_turns,
                     uint64_t steps);

/*
 * One pair of the line, on BIOS. STATUS_NOT_FOUND: it registers nothing. STATUS_NO_SPACE: that were
 * more turns than there is room for, more than GRUB_HOLES_MAX holes, or too many steps.
 */
enum status grub_holes_take(struct grub_holes *holes, const struct grub_map *map, struct pattern p);

/* One pair of the line, on UEFI. A turn is used for each piece of the map where blocks begin. */
enum status grub_holes_take_all(struct grub_holes *holes, const struct grub_map *map,
                                struct pattern p);

/* Whether a page is in a hole. */
bool grub_holes_contain(const struct grub_holes *holes, uint64_t page);

/*
 * How many RAM pages that p covers are in no hole, and the first of them; PAGES_MAX when there is
 * none. STATUS_NO_SPACE: too many steps.
 */
enum status grub_holes_left(struct grub_holes *holes, struct pattern p,
                            const struct page_index *space, uint64_t *ret_pages,
                            uint64_t *ret_first);
