// SPDX-License-Identifier: MIT
/* What a search for rows (rows/row_search.h) is given. */
#pragma once

#include <stdint.h>

#include "rows/row_memory.h"

struct row_question {
    const struct row_memory *memory;
    uint64_t hole; /* rows/row_map.h */
    uint64_t seed;
    uint64_t n_measurements_max;
    /* How long it takes to fetch both lines, in any unit: rows/pair_latency.h. 0: no time is left.
     */
    uint32_t (*latency)(void *ctx, uint64_t phys, uint64_t other);
    void *ctx;
};
