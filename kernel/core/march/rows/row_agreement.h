// SPDX-License-Identifier: MIT
/*
 * Whether a memory controller's registers (decoder/dram_map.h) and timing (rows/row_search.h) say
 * the same of this machine.
 *
 * Timing shows the space that is spanned by all functions that choose a bank: of channel, module,
 * rank and bank together. So each function of the registers has to be in it. A function with a
 * wrong bit is, as far as published maps show, in 1 of 1000 cases; exchanged channels, or functions
 * that are sums of others, timing does not notice.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decoder/dram_map.h"
#include "rows/row_map.h"

enum row_agreement {
    /* There is nothing to compare, or the module is no XOR of address bits, as where channels are
     * divided by three. */
    ROWS_UNCOMPARED,
    ROWS_AGREE,
    ROWS_CONTRADICT,
};

/*
 * measured: of all memory. The reason, where they do not agree; else NULL. *ret_below: up to which
 * DRAM address (exclusive) the comparison holds.
 */
enum row_agreement row_agreement_of(const struct dram_map *map, const struct row_map *measured,
                                    uint64_t *ret_below, const char **ret_reason);

/* The same for a zone that was timed by itself. */
enum row_agreement row_agreement_of_zone(const struct dram_map *map, const struct dram_zone *zone,
                                         const struct row_map *measured, uint64_t *ret_below,
                                         const char **ret_reason);

/*
 * Whether timing also confirms the rows of a map that agrees. Some lines of each zone are tried: by
 * timing, the next row by the map is another row of the same bank, and other lines of their row are
 * in the same row. Where timing shows no rows, only banks are compared. False also where the
 * registers do not give rows.
 */
bool row_agreement_has_rows(const struct dram_map *map, const struct row_map *measured,
                            uint64_t below);

/* A line's DRAM address, and the value of the function that selects its controller. */
struct counted_line {
    uint64_t dram;
    bool value;
};

/*
 * The function by which counters have counted lines: of all that timing shows the only one that
 * gives each of them its value, or the opposite of each. 0: there is none, or there are several.
 */
uint64_t row_agreement_find(const struct row_map *measured, const struct counted_line *line,
                            unsigned n, bool *ret_opposite);
