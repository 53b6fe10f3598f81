// SPDX-License-Identifier: MIT
#include "tests/coverage/world.h"

#include <stdlib.h>
#include <string.h>

#include "lib/panic.h"

void world_begin(struct world *w, const struct area *areas, uint32_t n_areas, uint32_t n_workers,
                 uint32_t max_instances)
{
    const struct area *last = &areas[n_areas - 1];
    uint32_t n_lines = last->first_line + last->n_lines;

    *w = (struct world){
        .area = areas,
        .n_areas = n_areas,
        .n_workers = n_workers,
        .max_instances = max_instances,
        .instance = calloc(max_instances, sizeof(*w->instance)),
        .owner = malloc(n_lines * LINE_BITS * sizeof(*w->owner)),
        .init = aligned_alloc(sizeof(struct line), n_lines * sizeof(struct line)),
    };
    ASSERT(w->instance && w->owner && w->init);
    memset(w->owner, 0xff, n_lines * LINE_BITS * sizeof(*w->owner));
    memset(w->init, 0, n_lines * sizeof(struct line));
    dram_make(&w->dram, n_lines, max_instances);
}

void world_free(struct world *w)
{
    dram_free(&w->dram);
    free(w->instance);
    free(w->owner);
    free(w->init);
}

void world_add(struct world *w, struct instance instance, struct fault fault, bool victim_init)
{
    struct bit_place v = fault.victim;
    uint32_t *owner = &w->owner[v.line * LINE_BITS + v.bit];

    ASSERT(*owner == NO_OWNER && w->n_instances < w->max_instances);
    *owner = w->n_instances;
    w->instance[w->n_instances++] = instance;
    dram_add(&w->dram, fault);
    line_set_bit(&w->init[v.line], v.bit, victim_init);
}

void world_reset(struct world *w)
{
    memcpy(w->dram.cell, w->init, w->dram.n_lines * sizeof(struct line));
    memset(&w->dram.sense, 0, sizeof(w->dram.sense));
    dram_settle(&w->dram);
}

uint32_t world_line(const struct world *w, uint64_t phys)
{
    for (uint32_t i = 0; i < w->n_areas; i++) {
        uint64_t line = (phys - w->area[i].phys) / sizeof(struct line);

        if (phys >= w->area[i].phys && line < w->area[i].n_lines)
            return w->area[i].first_line + (uint32_t)line;
    }
    return NO_LINE;
}
