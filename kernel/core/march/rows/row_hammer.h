// SPDX-License-Identifier: MIT
/*
 * Row hammer where banks and rows are known (rows/row_map.h): the rows of a pattern are opened
 * in one bank, so each is opened as often as DRAM allows, and those between them are their
 * neighbours. Where they are not known, rows are guessed: sweep/hammer.h, which also says what is
 * known of row hammer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rows/row_map.h"
#include "rows/row_pattern.h"
#include "sweep/engine.h"

/* Steps for a site: with 150 ns for one it is more than a refresh period of 64 ms. */
#define ROW_HAMMER_STEPS (UINT64_C(1) << 19)

/* What is read: aggressors, in a bank. */
struct row_site {
    uint64_t middle; /* physical address of a line in the row in the middle */
    uint64_t line[ROW_PAIRS_MAX][2];
};

/*
 * A place for the pattern, at random, so that all that it disturbs is in the region. False: none
 * was found in some tries, as the region has not enough rows.
 */
bool row_site_find(const struct row_map *map, const struct row_pattern *pattern, struct span region,
                   uint64_t *random, struct row_site *ret);

struct row_hammer {
    const struct sweep *sweep;
    const struct row_map *map;
    struct slice region;
    uint32_t refresh_cycles; /* a pair that takes longer has met a refresh (rows/pair_latency.h) */
};

/*
 * Hammers n_sites places of the region, in both polarities: writes the region, the aggressors' rows
 * the complement of all others, does n_steps steps of the pattern, and verifies the region.
 * stopped(ctx) is asked every millisecond or so; from when it says yes it must go on to say yes:
 * what has been hammered is still verified, and then the round ends. Returns how often it wrote or
 * read the whole region around the hammering; 0: the region has no place for the pattern.
 */
uint64_t row_hammer_round(const struct row_hammer *hammer, const struct row_pattern *pattern,
                          uint64_t n_sites, uint64_t n_steps, uint64_t *random,
                          bool (*stopped)(void *ctx), void *ctx);
