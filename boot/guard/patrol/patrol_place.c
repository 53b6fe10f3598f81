// SPDX-License-Identifier: MIT
#include "boot/guard/patrol/patrol_place.h"

#define PAGE_BITS       40
#define UNFINISHED_BITS 8

uint64_t patrol_place_pack(struct patrol_place place)
{
    return (place.page & ((UINT64_C(1) << PAGE_BITS) - 1)) |
           (uint64_t)place.unfinished << PAGE_BITS |
           (uint64_t)place.lap << (PAGE_BITS + UNFINISHED_BITS);
}

struct patrol_place patrol_place_unpack(uint64_t packed)
{
    return (struct patrol_place){
        .page = packed & ((UINT64_C(1) << PAGE_BITS) - 1),
        .unfinished = (uint8_t)(packed >> PAGE_BITS),
        .lap = (uint16_t)(packed >> (PAGE_BITS + UNFINISHED_BITS)),
    };
}

bool patrol_place_may_begin(struct patrol_place place)
{
    return place.unfinished < PATROL_UNFINISHED_MAX;
}

struct patrol_place patrol_place_begun(struct patrol_place place)
{
    place.unfinished++;
    return place;
}
