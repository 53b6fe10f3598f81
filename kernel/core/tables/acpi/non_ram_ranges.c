// SPDX-License-Identifier: MIT
#include "acpi/non_ram_ranges.h"

#define WHY_WINDOW "no memory there: a window for CXL memory"
#define WHY_EMPTY  "no memory there: a range for hot-plug"

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

static size_t n_windows(const struct memory_tables *t)
{
    return t->cedt ? t->cedt->n : 0;
}

/* The SRAT has a range for each CXL window: the window says more. */
static bool is_in_window(const struct memory_tables *t, struct span span)
{
    for (size_t i = 0; i < n_windows(t); i++) {
        if (span_intersect(t->cedt->window[i], span).size)
            return true;
    }
    return false;
}

size_t non_ram_ranges_max(const struct memory_tables *t)
{
    return t->map->n_regions + n_windows(t) + (t->srat ? t->srat->n_memory : 0);
}

/* Candidate i of the regions, the windows and the ranges, in this order. why NULL: it is none. */
static struct other_memory candidate(const struct memory_tables *t, size_t i)
{
    const struct memory_map *map = t->map;
    struct span span;

    if (i < map->n_regions) {
        const struct memory_region *r = &map->region[i];

        return (struct other_memory){ r->span,
                                      is_other(r->kind) ? memory_kind_name(r->kind) : NULL };
    }
    i -= map->n_regions;
    if (i < n_windows(t)) {
        span = t->cedt->window[i];
        return (struct other_memory){ span, is_empty(map, span) ? WHY_WINDOW : NULL };
    }
    span = t->srat->memory[i - n_windows(t)].span;
    return (struct other_memory){ span, is_empty(map, span) && !is_in_window(t, span) ? WHY_EMPTY
                                                                                      : NULL };
}

bool non_ram_ranges_next(const struct memory_tables *tables, size_t *at,
                         struct other_memory *ret_other)
{
    while (*at < non_ram_ranges_max(tables)) {
        *ret_other = candidate(tables, (*at)++);
        if (ret_other->why)
            return true;
    }
    return false;
}
