// SPDX-License-Identifier: MIT
#include "firmware/hidden.h"

/* A hole for ISA cards, 15 to 16 MiB, has as much. */
#define FEW_BYTES (UINT64_C(256) * PAGE_SIZE)

#define LOW_ROM_BASE (UINT64_C(640) << 10)
#define LOW_ROM_END  (UINT64_C(1) << 20)

static bool is_ram(const struct memory_map *map, size_t i)
{
    return i < map->n_regions && memory_kind_is_ram(map->region[i].kind);
}

static bool is_usable(const struct memory_map *map, size_t i)
{
    return i < map->n_regions && map->region[i].kind == BOOT_REGION_USABLE;
}

static struct span whole_pages(uint64_t base, uint64_t end)
{
    base = align_down(base, PAGE_SIZE);
    return (struct span){ base, align_up(end, PAGE_SIZE) - base };
}

static bool unusable_at(const struct memory_map *map, size_t i, struct span *ret_span)
{
    const struct memory_region *r = &map->region[i];
    bool below = i > 0 && is_ram(map, i - 1) && span_end(r[-1].span) == r->span.base;
    bool above = is_ram(map, i + 1) && r[1].span.base == span_end(r->span);

    if (r->kind != BOOT_REGION_BAD || !(below || above) ||
        (!(below && above) && r->span.size > FEW_BYTES))
        return false;
    *ret_span = whole_pages(r->span.base, span_end(r->span));
    return true;
}

/* Between region i and the next. */
static bool hole_at(const struct memory_map *map, size_t i, struct span *ret_span)
{
    uint64_t base = span_end(map->region[i].span), end;

    if (!is_usable(map, i) || !is_usable(map, i + 1))
        return false;
    end = map->region[i + 1].span.base;
    if (base == end || base % PAGE_SIZE || end % PAGE_SIZE || end - base >= FEW_BYTES ||
        (base >= LOW_ROM_BASE && base < LOW_ROM_END))
        return false;
    *ret_span = (struct span){ base, end - base };
    return true;
}

bool hidden_next(const struct memory_map *map, enum hidden_kind kind, size_t *at,
                 struct span *ret_span)
{
    while (*at < map->n_regions) {
        size_t i = (*at)++;

        if (kind == HIDDEN_UNUSABLE ? unusable_at(map, i, ret_span) : hole_at(map, i, ret_span))
            return true;
    }
    return false;
}

uint64_t hidden_pages(const struct memory_map *map, enum hidden_kind kind)
{
    uint64_t pages = 0;
    struct span span;
    size_t at = 0;

    while (hidden_next(map, kind, &at, &span))
        pages += span.size >> PAGE_SHIFT;
    return pages;
}
