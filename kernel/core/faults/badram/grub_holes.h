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

/*
 * The map of n spans, sorted by address and disjoint, one for each entry that GRUB sees. piece[]
 * has room for n and stays in use. STATUS_INVALID: not sorted, overlapping, or beyond 2^52.
 */
enum status grub_map_init(struct grub_map *ret_map, struct page_run *piece,
                          const struct span *entry, size_t n);

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

/*
 * Patterns in the order, and as often, as GRUB on BIOS needs them.
 *
 * The turns of a pattern follow each other until none of its blocks is left in any piece. So a GRUB
 * that takes more than one piece at a turn ends up with the same holes. Patterns of many blocks
 * come first, single blocks last: a pattern needs no more turns than it has blocks, and one block
 * cuts no more than one piece.
 *
 * For example, one piece has pages 0 to 255, and the patterns are C, every 16th page from 0 on, and
 * the blocks 20-23, 36-39, 64-71 and 200-203. They take six pairs:
 *
 *     64-71, C, C, 20-23, 36-39, 200-203
 *
 * 64-71 begins on a page of C: after C that page would be a hole, and no turn could register the
 * block. It cuts the piece in two, so C takes two turns. If all four blocks came before C there
 * would be five pieces, and C would take five turns: nine pairs.
 */

/* Pairs of a line: more are too long for a command of GRUB's (badram/cover.h). */
#define GRUB_PAIRS_MAX 255

/* Working memory, of any content. */
struct grub_bios_order_work {
    struct pattern item[GRUB_PAIRS_MAX];
    uint64_t n_blocks[GRUB_PAIRS_MAX]; /* of an item, in pieces */
    uint16_t sorted[GRUB_PAIRS_MAX], order[GRUB_PAIRS_MAX];
    bool placed[GRUB_PAIRS_MAX];
    size_t n_items, n_placed;
    struct grub_turn turn[GRUB_PAIRS_MAX];
};

/*
 * Arranges n patterns so that GRUB registers all RAM that they cover; that is simulated, not
 * assumed. Where a block begins in no piece, blocks within it that do stand for it. Writes at most
 * max_pairs (GRUB_PAIRS_MAX at most) to ret_pair, which may be the patterns' own place.
 * STATUS_NO_SPACE: the search, which is bounded, has found no such arrangement.
 */
enum status grub_bios_order_arrange(const struct grub_map *map, const struct page_index *space,
                                    const struct pattern *pattern, size_t n, size_t max_pairs,
                                    struct grub_bios_order_work *work, struct pattern *ret_pair,
                                    size_t *ret_n);
