// SPDX-License-Identifier: MIT
#include "boot/multiboot2/stub/free_ram.h"

#include "lib/string.h"

#define LOW_END  (UINT64_C(1) << 20)
#define HIGH_END (UINT64_C(1) << 32)

/* Entry number i; false: there is none. */
static bool map_entry(const struct tag_memory_map *map, uint32_t i, struct memory_map_entry *ret)
{
    uint64_t at = sizeof(*map) + (uint64_t)i * map->entry_size;

    if (map->entry_size < sizeof(*ret) || at + sizeof(*ret) > map->head.size)
        return false;
    memcpy(ret, (const char *)map + at, sizeof(*ret));
    return true;
}

/* Where the first obstacle found in the span ends; 0: none is in it. */
static uint64_t obstacle_end(const struct free_ram *free_ram, struct span s)
{
    struct memory_map_entry e;

    for (uint32_t i = 0; i < free_ram->n_used; i++) {
        if (span_intersect(free_ram->used[i], s).size)
            return span_end(free_ram->used[i]);
    }
    for (uint32_t i = 0; map_entry(free_ram->map, i, &e); i++) {
        struct span other = { e.base, e.size };

        if (e.type != MEMORY_MAP_AVAILABLE && span_intersect(other, s).size)
            return span_end(other);
    }
    return 0;
}

static uint64_t next_within(const struct free_ram *free_ram, struct span within, uint64_t from,
                            uint64_t size)
{
    uint64_t base = align_up(from > within.base ? from : within.base, PAGE_SIZE);

    while (base >= from && base - within.base < within.size &&
           within.size - (base - within.base) >= size) {
        uint64_t end = obstacle_end(free_ram, (struct span){ base, size });

        if (!end)
            return base;
        if (end <= base)
            break; /* an entry that wraps */
        base = align_up(end, PAGE_SIZE);
    }
    return 0;
}

uint64_t free_ram_next(const struct free_ram *free_ram, uint64_t from, uint64_t size)
{
    const struct span reach = { LOW_END, HIGH_END - LOW_END };
    struct memory_map_entry e;
    uint64_t lowest = 0;

    for (uint32_t i = 0; map_entry(free_ram->map, i, &e); i++) {
        uint64_t base;

        if (e.type != MEMORY_MAP_AVAILABLE || e.base + e.size < e.base)
            continue;
        base = next_within(free_ram, span_intersect((struct span){ e.base, e.size }, reach), from,
                           size);
        if (base && (!lowest || base < lowest))
            lowest = base;
    }
    return lowest;
}
