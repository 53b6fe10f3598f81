// SPDX-License-Identifier: MIT
/*
 * A small machine's memory with many faults, each in cells of its own.
 *
 * Some sections of some CPUs' shares (sweep/order.h) have memory, so that all that is special about
 * the order of lines is there: ends of runs, lanes, slices, sections and shares. The rest of
 * memory is left out: it would be more of the same.
 */
#pragma once

#include "tests/coverage/dram.h"
#include "tests/coverage/rows.h"

/* Of every CPU's share: as many as let CPUs be ahead as far as they ever may be. */
#define WORLD_SECTIONS 512

/* The memory of one section of one CPU's share. */
struct area {
    uint32_t worker, section;
    uint64_t phys;
    uint32_t n_lines;
    uint32_t first_line; /* of the model's */
};

/* One fault at one place. */
struct instance {
    uint32_t row;
    const char *place; /* where its cells are, for people */
    bool unordered;    /* two CPUs' cells, in near steps: only tests that order all lines have it */
    uint32_t found_round; /* the first round of the current test that detects it, or NOT_FOUND */
};

#define NOT_FOUND UINT32_MAX

struct world {
    const struct area *area;
    uint32_t n_areas, n_workers;
    struct dram dram;
    uint32_t n_instances, max_instances;
    struct instance *instance;
    uint32_t *owner;   /* of each bit of memory: the instance whose victim it is, or NO_OWNER */
    struct line *init; /* what the cells hold at power on */
};

#define NO_OWNER UINT32_MAX
#define NO_LINE  UINT32_MAX

#define LEAK_PATTERNS 8 /* what a cell and its two neighbours may hold: their instances' rows */

/* Columns one-cell to retention; columns word and line; cells that leak by their neighbours. */
void world_make_between(struct world *w);
void world_make_within(struct world *w);
void world_make_neighbours(struct world *w);
void world_free(struct world *w);

/* Power on: every cell holds what it is to hold first. */
void world_reset(struct world *w);

/* The model's line at a physical address; NO_LINE: there is none. */
uint32_t world_line(const struct world *w, uint64_t phys);

/* For the makers. Room for n faults in these areas; no faults yet. */
void world_begin(struct world *w, const struct area *areas, uint32_t n_areas, uint32_t n_workers,
                 uint32_t max_instances);

/* Adds a fault whose victim has no other, and what victim and aggressor hold first. */
void world_add(struct world *w, struct instance instance, struct fault fault, bool victim_init);
