// SPDX-License-Identifier: MIT
#include "boot/guard/patrol/patrol_walk.h"

#define LOWEST          (UINT64_C(1) << 20)
#define FIRST_BLOCK     (UINT64_C(1) << 20)
#define PAGE_BITS       40
#define UNFINISHED_BITS 8

uint64_t patrol_cursor_pack(struct patrol_cursor place)
{
    return (place.page & ((UINT64_C(1) << PAGE_BITS) - 1)) |
           (uint64_t)place.unfinished << PAGE_BITS |
           (uint64_t)place.lap << (PAGE_BITS + UNFINISHED_BITS);
}

struct patrol_cursor patrol_cursor_unpack(uint64_t packed)
{
    return (struct patrol_cursor){
        .page = packed & ((UINT64_C(1) << PAGE_BITS) - 1),
        .unfinished = (uint8_t)(packed >> PAGE_BITS),
        .lap = (uint16_t)(packed >> (PAGE_BITS + UNFINISHED_BITS)),
    };
}

uint64_t patrol_pace_block(struct patrol_pace pace, uint64_t left_us)
{
    double bytes;

    if (left_us == 0)
        return 0;
    if (pace.us == 0 || pace.bytes == 0)
        return FIRST_BLOCK;
    bytes = (double)pace.bytes / (double)pace.us * (double)left_us / 2;
    if (bytes < (double)PATROL_BLOCK_MIN)
        return 0;
    if (bytes > (double)PATROL_BLOCK_MAX)
        return PATROL_BLOCK_MAX;
    return align_down((uint64_t)bytes, PAGE_SIZE);
}

/* The part of a piece that may be tested. */
static struct span span_of(const struct guard_piece *piece)
{
    uint64_t base = max_u64(piece->first << PAGE_SHIFT, LOWEST);
    uint64_t end = (piece->first + piece->n) << PAGE_SHIFT;

    return (struct span){ base, piece->use == GUARD_FREE && end > base ? end - base : 0 };
}

struct patrol_walk patrol_walk_begin(const struct guard_ram_use *pieces, uint64_t first)
{
    return (struct patrol_walk){ .pieces = pieces, .first = first, .next = first };
}

uint64_t patrol_walk_bytes(const struct guard_ram_use *pieces)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < pieces->n; i++)
        bytes += span_of(&pieces->piece[i]).size;
    return bytes;
}

/* What is left of the span in this half of the way. */
static struct span left_of(const struct patrol_walk *walk, struct span s)
{
    uint64_t base = max_u64(s.base, walk->next);
    uint64_t end = walk->wrapped ? min_u64(span_end(s), walk->first) : span_end(s);

    return (struct span){ base, end > base ? end - base : 0 };
}

static bool next_of_half(struct patrol_walk *walk, uint64_t max_bytes, struct span *ret_block)
{
    for (; walk->at < walk->pieces->n; walk->at++) {
        struct span block = left_of(walk, span_of(&walk->pieces->piece[walk->at]));

        if (block.size == 0)
            continue;
        block.size = min_u64(block.size, max_bytes);
        walk->next = span_end(block);
        *ret_block = block;
        return true;
    }
    return false;
}

bool patrol_walk_next(struct patrol_walk *walk, uint64_t max_bytes, struct span *ret_block)
{
    if (next_of_half(walk, max_bytes, ret_block))
        return true;
    if (walk->wrapped)
        return false;
    walk->wrapped = true;
    walk->next = 0;
    walk->at = 0;
    return next_of_half(walk, max_bytes, ret_block);
}

void patrol_walk_back(struct patrol_walk *walk, struct span block)
{
    walk->next = block.base;
}
