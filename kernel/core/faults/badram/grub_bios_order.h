// SPDX-License-Identifier: MIT
/*
 * Patterns in the order, and as often, as GRUB on BIOS needs them: grub_holes.h says why.
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
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "badram/grub_holes.h"

/* Pairs of a line: more are too long for a command of GRUB's (bootcfg/lines.h). */
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
 * STATUS_NO_SPACE: there is no such arrangement, or none was found within the bounds of the search.
 */
enum status grub_bios_order_arrange(const struct grub_map *map, const struct page_index *space,
                                    const struct pattern *pattern, size_t n, size_t max_pairs,
                                    struct grub_bios_order_work *work, struct pattern *ret_pair,
                                    size_t *ret_n);
