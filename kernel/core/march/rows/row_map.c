// SPDX-License-Identifier: MIT
#include "rows/row_map.h"

#include "lib/bits.h"
#include "lib/gf2.h"

uint64_t row_map_linear(uint64_t hole, uint64_t phys)
{
    return phys >= ROW_HOLE_END ? phys - hole : phys;
}

uint64_t row_map_phys(uint64_t hole, uint64_t linear)
{
    return linear >= ROW_HOLE_END - hole ? linear + hole : linear;
}

/* The mask's bits of an address, next to each other. */
static uint64_t gather(uint64_t address, uint64_t mask)
{
    uint64_t number = 0;

    for (unsigned n = 0; mask; mask &= mask - 1, n++)
        number |= (address >> __builtin_ctzll(mask) & 1) << n;
    return number;
}

uint32_t row_map_bank(const struct row_map *map, uint64_t phys)
{
    uint64_t linear = row_map_linear(map->hole, phys);
    uint32_t bank = 0;

    for (unsigned i = 0; i < map->n_functions; i++)
        bank |= (uint32_t)gf2_parity(linear & map->function[i]) << i;
    return bank;
}

uint64_t row_map_row(const struct row_map *map, uint64_t phys)
{
    return gather(row_map_linear(map->hole, phys), map->row);
}

/* Changes those of the mask's bits that are set in `changed`, and stays in the bank. */
static uint64_t move(const struct row_map *map, uint64_t linear, uint64_t mask, uint64_t changed)
{
    for (; changed && mask; changed >>= 1, mask &= mask - 1) {
        if (changed & 1)
            linear ^= map->step[__builtin_ctzll(mask)];
    }
    return linear;
}

bool row_map_neighbour(const struct row_map *map, uint64_t phys, int64_t distance,
                       uint64_t *ret_phys)
{
    uint64_t linear = row_map_linear(map->hole, phys), row = gather(linear, map->row);
    uint64_t changed = row ^ (row + (uint64_t)distance);

    if (changed >> bits_count(map->row))
        return false;
    *ret_phys = row_map_phys(map->hole, move(map, linear, map->row, changed));
    return true;
}

uint64_t row_map_line(const struct row_map *map, uint64_t phys, uint64_t n)
{
    uint64_t linear = row_map_linear(map->hole, phys), lines = map->column & ~(LINE_SIZE - 1);

    return row_map_phys(map->hole, move(map, linear, lines, gather(linear, lines) ^ n));
}

uint64_t row_map_row_bytes(const struct row_map *map)
{
    return map->row & -map->row;
}
