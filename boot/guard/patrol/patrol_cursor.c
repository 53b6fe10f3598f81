// SPDX-License-Identifier: MIT
#include "boot/guard/patrol/patrol_cursor.h"

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

bool patrol_cursor_may_begin(struct patrol_cursor place)
{
    return place.unfinished < PATROL_UNFINISHED_MAX;
}

struct patrol_cursor patrol_cursor_begun(struct patrol_cursor place)
{
    place.unfinished++;
    return place;
}
