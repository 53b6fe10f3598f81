// SPDX-License-Identifier: MIT
/*
 * Memory for cells that lose their data only while their neighbours hold certain values (J. Liu et
 * al., "An Experimental Study of Data Retention Behavior in Modern DRAM Devices", ISCA 2013): the
 * same bit of the words before and after, or of the lines before and after. Which cells are
 * neighbours only their maker knows; for random data it does not matter which.
 */
#include "tests/coverage/world.h"

#define LINES     128
#define WORD_BITS 64
#define LAST_WORD 7
#define FADE_MS   1000

static const struct area areas[] = {
    { 0, 0, UINT64_C(0x5fff000), LINES, 0 },
};

/* Every cell depends on one of the eight states of itself and its neighbours. */
static void add(struct world *w, uint32_t line, uint32_t word, uint32_t bit)
{
    const uint32_t pattern = (w->n_instances + w->n_instances / LEAK_PATTERNS) % LEAK_PATTERNS;
    const uint32_t place = word * WORD_BITS + bit;
    const bool is_last = word == LAST_WORD;
    const struct fault fault = {
        .kind = FAULT_LEAK,
        .victim = { line, place },
        .loses = pattern & 2,
        .fade_ms = FADE_MS,
        .neighbour = { is_last ? (struct bit_place){ line - 1, place }
                               : (struct bit_place){ line, place - WORD_BITS },
                       is_last ? (struct bit_place){ line + 1, place }
                               : (struct bit_place){ line, place + WORD_BITS } },
        .neighbour_holds = { pattern & 4, pattern & 1 },
    };

    world_add(w, (struct instance){ .row = pattern, .place = is_last ? "lines" : "words" }, fault,
              false);
}

/* In every other word of every other line: so neighbours have no faults. */
void world_make_neighbours(struct world *w)
{
    world_begin(w, areas, 1, 1, LINES * LINE_BITS);
    for (uint32_t line = 1; line + 1 < LINES; line += 2) {
        for (uint32_t bit = 0; bit < WORD_BITS; bit++) {
            for (uint32_t word = 1; word <= LAST_WORD; word += 2)
                add(w, line, word, bit);
        }
    }
}
