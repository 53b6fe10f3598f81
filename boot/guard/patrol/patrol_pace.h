// SPDX-License-Identifier: MIT
/* How much memory is tested at once, so that a patrol ends before its time is over. */
#pragma once

#include <stdint.h>

#define PATROL_BLOCK_MAX (UINT64_C(16) << 20)
#define PATROL_BLOCK_MIN (UINT64_C(1) << 16) /* for less it is not worth taking a block */

/* What has been tested, and what that took, all calls of firmware included. */
struct patrol_pace {
    uint64_t bytes, us;
};

/*
 * The bytes of the next block, whole pages: such as takes half of the time left at the pace so far;
 * while there is none, 1 MiB. 0: it would be less than PATROL_BLOCK_MIN, so the patrol is over.
 */
uint64_t patrol_pace_block(struct patrol_pace pace, uint64_t left_us);
