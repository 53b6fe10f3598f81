// SPDX-License-Identifier: MIT
/*
 * How much memory the controllers of Intel's processors with graphics have, and which of it they
 * leave to programs: TOM, TOUUD, BDSM, BGSM, TSEGMB and TOLUD of the host bridge 00:00.0, at the
 * same places since the 2nd generation Core (datasheets vol. 2, "Host Bridge/DRAM Registers"; 4th
 * generation: 3.1.21 to 3.1.28). Between TSEGMB and TOLUD are memory of SMM, the graphics' page
 * tables and its stolen memory; the management engine has the end of TOM.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/span.h"

#define DRAM_TOP_FIRST 0xa0u /* configuration space: the words from here on... */
#define DRAM_TOP_WORDS 8u    /* ...that dram_top_decode takes */

struct dram_top {
    uint64_t total_bytes;  /* of all modules; 0: unknown, as is the rest */
    struct span usable[2]; /* below 4 GiB, and above; size 0: there is none there */
};

/*
 * False: these are not such registers. Other host bridges have something else there, so they are
 * believed only where all are whole MiB, in the order that they must have, and add up.
 */
bool dram_top_decode(const uint32_t word[DRAM_TOP_WORDS], struct dram_top *ret_top);

/* The bytes that are not left to programs. */
uint64_t dram_top_taken(const struct dram_top *top);
