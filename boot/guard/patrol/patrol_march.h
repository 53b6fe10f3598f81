// SPDX-License-Identifier: MIT
/*
 * The memory test of the guard's patrol, on a block of free memory: a test of addresses, then March
 * C- (van de Goor, "Testing Semiconductor Memories", 1991) over one of the backgrounds of a word,
 * another in each lap. So the first lap finds single faulty cells and most couplings between lines;
 * DATA_BACKGROUNDS_WORD laps find couplings within a word, too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "boot/guard/patrol/patrol_walk.h"
#include "sweep/engine.h"

#define PATROL_BLOCK_PAGES (PATROL_BLOCK_MAX / PAGE_SIZE)

struct patrol_march {
    const struct line_ops *ops;
    uint32_t lap;
    bool (*is_over)(void *ctx); /* asked after each SWEEP_SMALL_SLICE: break off? */
    void *ctx;
};

/* The bad pages of a block. */
struct patrol_found {
    struct span block;
    uint64_t bad[PATROL_BLOCK_PAGES / 64]; /* bit by bit */
    uint32_t n_bad;
};

/*
 * Tests the block, whole pages, at most PATROL_BLOCK_MAX, which is mapped at its physical address
 * and whose content is lost. False: it was aborted; what has been found is in *ret_found even so.
 */
bool patrol_march_run(const struct patrol_march *march, struct span block,
                      struct patrol_found *ret_found);

static inline bool patrol_found_is_bad(const struct patrol_found *found, uint64_t page)
{
    return found->bad[page / 64] >> page % 64 & 1;
}
