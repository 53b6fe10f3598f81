// SPDX-License-Identifier: MIT
#include "dram.h"

#include <string.h>

#define FUNCTIONS_ALL ((size_t)DRAM_FIELDS * PUBLISHED_FUNCTIONS_MAX)

static bool parity(uint64_t x)
{
    return __builtin_parityll(x);
}

/* The mask's bits of x, next to each other; and back. */
static uint32_t gather(uint64_t x, uint64_t mask)
{
    uint32_t y = 0;

    for (unsigned n = 0; mask; mask &= mask - 1, n++)
        y |= (uint32_t)(x >> __builtin_ctzll(mask) & 1) << n;
    return y;
}

static uint64_t scatter(uint32_t y, uint64_t mask)
{
    uint64_t x = 0;

    for (; mask; mask &= mask - 1, y >>= 1)
        x |= (uint64_t)(y & 1) << __builtin_ctzll(mask);
    return x;
}

const struct published_map *dram_map_find(const char *name)
{
    for (size_t i = 0; i < dram_n_maps; i++) {
        if (strcmp(dram_maps[i].name, name) == 0)
            return &dram_maps[i];
    }
    return NULL;
}

struct published_place dram_place_of(const struct published_map *map, uint64_t address)
{
    struct published_place place = { .row = gather(address, map->row),
                                     .column = gather(address, map->column) };

    for (unsigned f = 0; f < DRAM_FIELDS; f++) {
        for (unsigned i = 0; i < PUBLISHED_FUNCTIONS_MAX; i++)
            place.field[f] |= (uint32_t)parity(address & map->function[f][i]) << i;
    }
    return place;
}

struct equation {
    uint64_t unknown; /* address bits */
    bool sum;
};

/* Gauss and Jordan: one equation for each unknown bit, as the map is one to one. */
static uint64_t solve(struct equation *e, size_t n)
{
    uint64_t address = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t pivot = e[i].unknown & -e[i].unknown;

        for (size_t k = 0; k < n; k++) {
            if (k == i || !(e[k].unknown & pivot))
                continue;
            e[k].unknown ^= e[i].unknown;
            e[k].sum ^= e[i].sum;
        }
    }
    for (size_t i = 0; i < n; i++)
        address |= e[i].sum ? e[i].unknown & -e[i].unknown : 0;
    return address;
}

uint64_t dram_address_of(const struct published_map *map, const struct published_place *place)
{
    uint64_t known = scatter(place->row, map->row) | scatter(place->column, map->column);
    uint64_t unknown = ((UINT64_C(1) << map->bits) - 1) & ~(map->row | map->column);
    struct equation equation[FUNCTIONS_ALL];
    size_t n = 0;

    for (unsigned f = 0; f < DRAM_FIELDS; f++) {
        for (unsigned i = 0; i < PUBLISHED_FUNCTIONS_MAX && map->function[f][i]; i++)
            equation[n++] = (struct equation){ map->function[f][i] & unknown,
                                               (place->field[f] >> i & 1) ^
                                                   parity(known & map->function[f][i]) };
    }
    return known | solve(equation, n);
}

uint32_t dram_field_values(const struct published_map *map, enum dram_field field)
{
    uint32_t n = 1;

    for (unsigned i = 0; i < PUBLISHED_FUNCTIONS_MAX && map->function[field][i]; i++)
        n *= 2;
    return n;
}

uint32_t dram_rows(const struct published_map *map)
{
    return UINT32_C(1) << __builtin_popcountll(map->row);
}

uint32_t dram_columns(const struct published_map *map)
{
    return UINT32_C(1) << __builtin_popcountll(map->column);
}
