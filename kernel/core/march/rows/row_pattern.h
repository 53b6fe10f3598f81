// SPDX-License-Identifier: MIT
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
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
