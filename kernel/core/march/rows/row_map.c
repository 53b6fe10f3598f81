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

static uint64_t linear_of(const struct row_map *map, uint64_t phys)
{
    return row_map_linear(map->hole, phys) - map->base;
}

static uint64_t phys_of(const struct row_map *map, uint64_t linear)
{
    return row_map_phys(map->hole, linear + map->base);
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
    uint64_t linear = linear_of(map, phys);
    uint32_t bank = 0;

    for (unsigned i = 0; i < map->n_functions; i++)
        bank |= (uint32_t)gf2_parity(linear & map->function[i]) << i;
    return bank;
}

uint64_t row_map_row(const struct row_map *map, uint64_t phys)
{
    return gather(linear_of(map, phys), map->row);
}

/* The opposite. */
static uint64_t scatter(uint64_t number, uint64_t mask)
{
    uint64_t address = 0;

    for (; mask; mask &= mask - 1, number >>= 1)
        address |= number & 1 ? mask & -mask : 0;
    return address;
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

/* The place and its module's geometry by the registers. NULL: they do not say it. */
static const struct dram_geometry *registers_say(const struct row_map *map, uint64_t phys,
                                                 struct dram_place *ret)
{
    const struct dram_geometry *g;
    uint64_t dram;

    if (!map->registers)
        return NULL;
    dram = dram_map_move(map->registers, phys);
    if (dram >= map->below || (map->part.size && !span_contains(map->part, dram)) ||
        !dram_map_locate(map->registers, phys, ret))
        return NULL;
    g = &map->registers->channel[ret->channel].dimm[ret->dimm];
    return g->n_banks ? g : NULL;
}

bool row_map_is_by_registers(const struct row_map *map, uint64_t phys)
{
    struct dram_place p;

    return registers_say(map, phys, &p);
}

/* Which bits of a module's column choose the line. */
static uint32_t line_columns(const struct dram_geometry *g)
{
    uint32_t columns = 0;

    for (unsigned i = 0; i < g->n_columns; i++)
        columns |= (uint32_t)(UINT64_C(1) << g->column[i] >= LINE_SIZE) << i;
    return columns;
}

static bool neighbour_by_registers(const struct row_map *map, struct dram_place p, unsigned n_rows,
                                   int64_t distance, uint64_t *ret_phys)
{
    uint64_t row = p.row + (uint64_t)distance, phys;

    p.row = (uint32_t)row;
    if (row >> n_rows || !dram_map_address(map->registers, &p, &phys) ||
        !row_map_is_by_registers(map, phys))
        return false;
    *ret_phys = phys;
    return true;
}

bool row_map_neighbour(const struct row_map *map, uint64_t phys, int64_t distance,
                       uint64_t *ret_phys)
{
    uint64_t linear = linear_of(map, phys), row = gather(linear, map->row);
    uint64_t changed = row ^ (row + (uint64_t)distance);
    struct dram_place p;
    const struct dram_geometry *g = registers_say(map, phys, &p);

    if (g)
        return neighbour_by_registers(map, p, g->n_rows, distance, ret_phys);
    if (changed >> bits_count(map->row))
        return false;
    *ret_phys = phys_of(map, move(map, linear, map->row, changed));
    return true;
}

uint64_t row_map_lines(const struct row_map *map, uint64_t phys)
{
    struct dram_place p;
    const struct dram_geometry *g = registers_say(map, phys, &p);

    return UINT64_C(1) << bits_count(g ? line_columns(g) : map->column & ~(LINE_SIZE - 1));
}

uint64_t row_map_line(const struct row_map *map, uint64_t phys, uint64_t n)
{
    uint64_t linear = linear_of(map, phys), lines = map->column & ~(LINE_SIZE - 1);
    struct dram_place p;
    const struct dram_geometry *g = registers_say(map, phys, &p);

    if (!g)
        return phys_of(map, move(map, linear, lines, gather(linear, lines) ^ n));
    p.column = (p.column & ~line_columns(g)) | (uint32_t)scatter(n, line_columns(g));
    dram_map_address(map->registers, &p, &phys);
    return phys;
}

uint64_t row_map_row_bytes(const struct row_map *map, uint64_t phys)
{
    uint64_t next;

    if (!row_map_neighbour(map, phys, 1, &next) && !row_map_neighbour(map, phys, -1, &next))
        return 0;
    return next > phys ? next - phys : phys - next;
}
