// SPDX-License-Identifier: MIT
#include "acpi/other_memory.h"

#define WHY_EMPTY "no memory there: a range for hot-plug"

static bool is_other(enum boot_region_kind kind)
{
    return kind == BOOT_REGION_PERSISTENT || kind == BOOT_REGION_UNACCEPTED;
}

/* What is reserved or a device's may be in a range without memory. */
static bool is_empty(const struct memory_map *map, struct span span)
{
    for (size_t i = 0; i < map->n_regions; i++) {
        const struct memory_region *r = &map->region[i];

        if ((memory_kind_is_ram(r->kind) || is_other(r->kind)) &&
            span_intersect(r->span, span).size)
            return false;
    }
    return true;
}

static size_t ranges(const struct srat *srat)
{
    return srat ? srat->n_memory : 0;
}

size_t other_memory_max(const struct memory_map *map, const struct srat *srat)
{
    return map->n_regions + ranges(srat);
}

bool other_memory_next(const struct memory_map *map, const struct srat *srat, size_t *at,
                       struct other_memory *ret_other)
{
    while (*at < map->n_regions) {
        const struct memory_region *r = &map->region[(*at)++];

        if (is_other(r->kind)) {
            *ret_other = (struct other_memory){ r->span, memory_kind_name(r->kind) };
            return true;
        }
    }
    while (*at < other_memory_max(map, srat)) {
        struct span span = srat->memory[(*at)++ - map->n_regions].span;

        if (is_empty(map, span)) {
            *ret_other = (struct other_memory){ span, WHY_EMPTY };
            return true;
        }
    }
    return false;
}
