// SPDX-License-Identifier: MIT
/*
 * The patrol: tests a part of the free memory at each boot, from where it left off
 * (boot/guard/patrol/). A block is allocated as unusable memory, tested, and given back but for its
 * bad pages: so nobody gets these, not even firmware.
 */
#pragma once

#include <efi.h>
#include <stdint.h>

#include "guardlist/guard_options.h"

#define GUARD_PATROL_FOUND_MAX 1024u /* bad pages of one patrol */

struct guard_patrol {
    const char *why; /* half a sentence: why it did not begin, or ended early; NULL: it did not */
    uint64_t bytes;  /* tested */
    uint64_t free_bytes; /* that there are to test; 0: it did not begin */
    uint64_t next;       /* the address to go on at */
    uint64_t us;         /* that it took, of which there are never more than was allowed */
    uint32_t lap;        /* how often all free memory has been tested before, modulo 2^16 */
    uint32_t n_found;
    uint64_t found[GUARD_PATROL_FOUND_MAX]; /* numbers of bad pages */
};

/*
 * Tests memory for at most `seconds`. A key of the console ends it. Needs guard_clock_start(), and
 * TPL_CALLBACK or below.
 */
void guard_patrol_run(unsigned seconds, struct guard_patrol *ret_patrol);
