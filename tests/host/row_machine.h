// SPDX-License-Identifier: MIT
/*
 * Machines whose pairs of lines take the time that their published map of DRAM says
 * (tools/plugin/dram.h), with noise: what the search for rows is tried on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/row_search.h"
#include "tools/plugin/dram.h"

/* Cycles that a conflict takes longer: a row is closed and another opened, tRP + tRCD, 27.5 ns of
 * DDR4-3200 (JESD79-4), at 2.45 GHz. */
#define ROW_MACHINE_CONFLICT 67

struct row_noise {
    double spread;   /* standard deviation, as a share of what a conflict takes longer */
    double outliers; /* share of measurements that take up to three times as long */
    double wrong;    /* share of pairs whose times say the contrary, at that moment */
};

struct row_machine {
    const struct published_map *map;
    uint64_t hole;         /* below 4 GiB; memory of the map's size begins at 0 */
    bool addresses_shift;  /* those above are counted without the hole, as AMD's controllers do */
    bool closes_rows;      /* at once: lines of one row conflict, too */
    bool has_no_conflicts; /* all pairs take the same time */
    bool is_random;        /* they take any time */
    struct row_noise noise;
    uint64_t random; /* state of lib/splitmix.h */
};

/* For row_question.latency; ctx is a struct row_machine. */
uint32_t row_machine_latency(void *ctx, uint64_t phys, uint64_t other);

/* Its memory, without one of `without` pages where that is not 0, at random. */
void row_machine_memory(const struct row_machine *machine, unsigned without,
                        struct row_memory *ret);

/* Whether the search has found the machine's banks, and its rows. */
bool row_machine_has_banks(const struct row_machine *machine, const struct row_map *found);
bool row_machine_has_rows(const struct row_machine *machine, const struct row_map *found);
