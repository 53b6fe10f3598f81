// SPDX-License-Identifier: MIT
/*
 * Row hammer where banks and rows are known (rows/row_map.h): the rows of a pattern are opened
 * in one bank, so each is opened as often as DRAM allows, and those between them are their
 * neighbours. Where they are not known, rows are guessed: sweep/hammer.h, which also says what is
 * known of row hammer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/row_map.h"
#include "sweep/engine.h"

/*
 * Which rows of a bank are opened, and in which order, to disturb those between them. Rows are
 * opened in pairs, as lines of a pair are fetched at the same time.
 *
 * - double-sided: both neighbours of a row (Kim et al., "Flipping Bits in Memory Without Accessing
 *   Them", ISCA 2014).
 * - many-sided: 18 rows, more than modules watch (Frigo et al., "TRRespass", S&P 2020).
 * - frequencies: pairs that come at frequencies, phases and amplitudes of their own, at random, in
 *   a period that begins after a refresh, to which modules tie what they watch (Jattke et al.,
 *   "Blacksmith", S&P 2022).
 * - half-double: rows at distance 2, and rarely those at distance 1 (Kogler et al., "Half-Double",
 *   USENIX Security 2022).
 * - press: both neighbours, kept open for long (Luo et al., "RowPress", ISCA 2023).
 */
#define ROW_PAIRS_MAX 9
#define ROW_STEPS_MAX 128
#define ROW_PATTERNS  5

struct row_pattern {
    const char *name;
    uint32_t n_pairs;
    int8_t pair[ROW_PAIRS_MAX][2]; /* rows from the middle one */
    uint32_t columns;              /* lines read in each row while it is open */
    uint32_t n_steps;
    uint8_t step[ROW_STEPS_MAX]; /* the pairs in their order */
    bool waits_for_refresh;      /* before each first step */
};

/* The farthest that a pattern disturbs: all its rows, and two beyond. */
#define ROW_PATTERN_REACH 19

/* Pattern number i, from 0 to ROW_PATTERNS - 1. *random: state of lib/splitmix.h. */
void row_pattern_make(size_t i, uint64_t *random, struct row_pattern *ret);

/* Steps for a site: with 150 ns for one it is more than a refresh period of 64 ms. */
#define ROW_HAMMER_STEPS (UINT64_C(1) << 19)

/* What is read: aggressors, in a bank. */
struct row_site {
    uint64_t middle; /* physical address of a line in the row in the middle */
    uint64_t line[ROW_PAIRS_MAX][2];
};

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
