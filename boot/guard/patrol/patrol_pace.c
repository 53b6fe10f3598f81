// SPDX-License-Identifier: MIT
#include "boot/guard/patrol/patrol_pace.h"

#include "lib/span.h"

#define FIRST_BLOCK (UINT64_C(1) << 20)

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
