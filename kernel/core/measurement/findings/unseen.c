// SPDX-License-Identifier: MIT
#include "findings/unseen.h"

#include <stddef.h>

#include "lib/minmax.h"

/* Firmware and graphics in the CPU keep as much of machines whose modules are not larger. */
#define MISSING_MIN_BYTES (UINT64_C(1) << 30)

#define GRAPHICS_MIN_BYTES (UINT64_C(1) << 30)

/* Firmware keeps less than this part of a module. */
#define FIRMWARE_FRACTION 4

/* Table 78. */
enum soldered_type {
    TYPE_LPDDR = 0x1b, /* with LPDDR2, LPDDR3 and LPDDR4 */
    TYPE_LPDDR4 = 0x1e,
    TYPE_LPDDR5 = 0x23,
};

struct sizes {
    uint64_t smallest, largest;
};

static bool is_soldered(const struct smbios_slot *slot)
{
    return (slot->memory_type >= TYPE_LPDDR && slot->memory_type <= TYPE_LPDDR4) ||
           slot->memory_type == TYPE_LPDDR5;
}

/* False: of some module it is not known how much of its memory should be in the map. */
static bool read_sizes(const struct smbios_memory *m, struct sizes *ret)
{
    *ret = (struct sizes){ .smallest = UINT64_MAX };
    for (uint32_t i = 0; i < m->n_slot; i++) {
        const struct smbios_slot *slot = &m->slot[i];

        if (!slot->is_populated)
            continue;
        if (!slot->is_ordinary || is_soldered(slot) || !slot->size_bytes)
            return false;
        ret->smallest = min_u64(ret->smallest, slot->size_bytes);
        ret->largest = max_u64(ret->largest, slot->size_bytes);
    }
    return ret->largest && !m->unknown && m->n_slot == m->slots;
}

static bool is_ram(const struct memory_map *map, size_t i)
{
    return i < map->n_regions && map->region[i].kind == BOOT_REGION_USABLE;
}

static bool adjoins_ram(const struct memory_map *map, size_t i)
{
    struct span s = map->region[i].span;

    return (i > 0 && is_ram(map, i - 1) && span_end(map->region[i - 1].span) == s.base) ||
           (is_ram(map, i + 1) && map->region[i + 1].span.base == span_end(s));
}

uint64_t unseen_present_bytes(const struct memory_map *map, uint64_t ram_bytes)
{
    for (size_t i = 0; i < map->n_regions; i++) {
        const struct memory_region *r = &map->region[i];

        if (r->kind == BOOT_REGION_RESERVED && r->span.size >= GRAPHICS_MIN_BYTES &&
            adjoins_ram(map, i))
            ram_bytes += r->span.size;
    }
    return ram_bytes;
}

struct unseen unseen_find(const struct smbios_memory *slots, uint64_t usable_bytes)
{
    struct unseen unseen = { 0 };
    uint64_t missing, half;
    struct sizes sizes;

    if (!slots || usable_bytes >= slots->installed_bytes || !read_sizes(slots, &sizes))
        return unseen;
    missing = slots->installed_bytes - usable_bytes;
    if (missing <= MISSING_MIN_BYTES || missing < sizes.smallest)
        return unseen;
    half = slots->installed_bytes / 2;
    unseen.of = slots->populated;
    unseen.at_least = sizes.smallest != sizes.largest;
    unseen.modules = unseen.at_least ? 1 : (uint32_t)(missing / sizes.smallest);
    unseen.may_be_mirrored = !unseen.at_least && slots->populated > 1 && missing >= half &&
                             missing - half < sizes.smallest / FIRMWARE_FRACTION;
    return unseen;
}
