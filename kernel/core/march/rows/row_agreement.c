// SPDX-License-Identifier: MIT
#include "rows/row_agreement.h"

#include <stddef.h>

#include "lib/gf2.h"
#include "lib/minmax.h"
#include "lib/span.h"
#include "lib/splitmix.h"

static const char not_linear[] =
    "timing shows only XORs of address bits, and not every module is chosen by such";

static uint64_t gap_of(const struct dram_map *map)
{
    uint64_t gap = 0;

    for (const struct dram_zone *z = map->zone; z < map->zone + map->n_zones; z++)
        gap |= z->gap;
    return gap;
}

/* Whether the registers say the banks of each module. */
static bool has_banks(const struct dram_map *map)
{
    for (unsigned i = 0; i < map->n_channels; i++) {
        for (unsigned d = 0; d < DRAM_DIMMS_MAX && map->channel[i].n_selects; d++) {
            if (!map->channel[i].dimm[d].n_banks)
                return false;
        }
    }
    return true;
}

/* NULL: none. Functions that are not linear over the zone were left out; of the others only bits
 * are compared in which addresses of the zone differ. */
static const char *contradiction_of(const struct dram_functions *f, const struct row_map *measured,
                                    bool banks_are_known)
{
    uint64_t bits = f->bits & measured->bits;
    struct gf2_basis timed = { 0 }, ours = { 0 };

    for (unsigned i = 0; i < measured->n_functions; i++)
        gf2_add(&timed, measured->function[i] & bits);
    for (unsigned i = 0; i < f->n; i++) {
        gf2_add(&ours, f->function[i] & bits);
        if (!gf2_contains(&timed, f->function[i] & bits))
            return i < f->n_module
                       ? "a function that chooses the module is none of those that timing shows"
                       : "a function that chooses the bank is none of those that timing shows";
    }
    if (banks_are_known && f->all_linear && ours.rank != timed.rank)
        return "timing shows another number of banks";
    return NULL;
}

enum row_agreement row_agreement_of(const struct dram_map *map, const struct row_map *measured,
                                    uint64_t *ret_below, const char **ret_reason)
{
    struct dram_functions f;
    bool compared = false, all_linear = true;
    uint64_t gap = gap_of(map);

    *ret_reason = NULL;
    *ret_below = measured->bits ? UINT64_C(2) << (63 - __builtin_clzll(measured->bits)) : 0;
    if (*ret_below > ROW_HOLE_END && dram_map_hole(map) != measured->hole)
        *ret_reason = "the hole below 4 GiB has another size than timing shows";
    for (const struct dram_zone *z = map->zone; z < map->zone + map->n_zones && !*ret_reason; z++) {
        if (z->start - z->gap >= *ret_below)
            continue;
        dram_map_functions(map, z, &f);
        *ret_reason = contradiction_of(&f, measured, has_banks(map));
        all_linear &= f.module_is_linear;
        compared = true;
    }
    if (*ret_below > ROW_HOLE_END - gap)
        *ret_below += gap;
    if (*ret_reason)
        return ROWS_CONTRADICT;
    if (compared && all_linear)
        return ROWS_AGREE;
    *ret_reason = not_linear;
    return ROWS_UNCOMPARED;
}

enum row_agreement row_agreement_of_zone(const struct dram_map *map, const struct dram_zone *zone,
                                         const struct row_map *measured, uint64_t *ret_below,
                                         const char **ret_reason)
{
    uint64_t timed = (UINT64_C(2) << (63 - __builtin_clzll(measured->bits | 1))) - 1;
    struct dram_zone alone = *zone;
    struct dram_functions f;

    alone.gap = dram_zone_base(zone);
    dram_map_functions(map, &alone, &f);
    *ret_below = min_u64(zone->end, alone.gap + ((zone->start - alone.gap) | timed) + 1);
    *ret_reason = contradiction_of(&f, measured, has_banks(map));
    if (*ret_reason)
        return ROWS_CONTRADICT;
    if (f.module_is_linear && measured->bits)
        return ROWS_AGREE;
    *ret_reason = not_linear;
    return ROWS_UNCOMPARED;
}

/* Whether timing counts the address as the registers do; it does not where memory is moved. */
static bool is_counted(const struct row_map *rows, const struct dram_zone *z, uint64_t phys)
{
    return dram_map_move(rows->registers, phys) == row_map_linear(rows->hole, phys) + z->gap;
}

/* Whether another line is in the bank of a line, and in its row, as timing shows them. */
static bool is_timed(const struct row_map *rows, const struct dram_zone *z, uint64_t line,
                     uint64_t other, bool in_row)
{
    return !is_counted(rows, z, other) ||
           (row_map_bank(rows, line) == row_map_bank(rows, other) &&
            (!rows->row || (row_map_row(rows, line) == row_map_row(rows, other)) == in_row));
}

/* Another line of the row of a line, and one of the row that differs in the lowest bit. */
static bool row_is_timed(const struct row_map *rows, const struct dram_zone *z, uint64_t phys,
                         uint64_t random)
{
    struct dram_place p;
    uint64_t next;

    return dram_map_locate(rows->registers, phys, &p) &&
           is_timed(rows, z, phys, row_map_line(rows, phys, random), true) &&
           (!row_map_neighbour(rows, phys, p.row & 1 ? -1 : 1, &next) ||
            is_timed(rows, z, phys, next, false));
}

#define SAMPLES 128 /* of a zone */

bool row_agreement_has_rows(const struct dram_map *map, const struct row_map *measured,
                            uint64_t below)
{
    struct row_map rows = *measured;
    uint64_t random = below;
    unsigned n = 0;

    rows.registers = map;
    rows.below = below;
    for (unsigned i = 0; i < SAMPLES * map->n_zones; i++) {
        const struct dram_zone *z = &map->zone[i / SAMPLES];
        uint64_t dram =
            align_down(z->start + splitmix_below(&random, z->end - z->start), LINE_SIZE);
        uint64_t phys = row_map_phys(measured->hole, dram - z->gap);

        if (!row_map_is_by_registers(&rows, phys) || !is_counted(&rows, z, phys))
            continue;
        if (!row_is_timed(&rows, z, phys, splitmix_next(&random)))
            return false;
        n++;
    }
    return n;
}

/*
 * Each line is an equation: the sum of those measured functions that are in the one that is looked
 * for, each with its value for the line, and of a constant, is the line's value. That is bit 0 of a
 * vector, the constant's part bit 1, and those of the functions are above.
 */
uint64_t row_agreement_find(const struct row_map *measured, const struct counted_line *line,
                            unsigned n, bool *ret_opposite)
{
    struct gf2_basis equations = { 0 };
    uint64_t function = 0;

    for (unsigned i = 0; i < n; i++) {
        uint64_t vector = line[i].value | 2;

        for (unsigned k = 0; k < measured->n_functions; k++)
            vector |= (uint64_t)gf2_parity(line[i].dram & measured->function[k]) << (k + 2);
        gf2_add(&equations, vector);
    }
    if (equations.row[0] || equations.rank != measured->n_functions + 1)
        return 0;
    gf2_reduce(&equations);
    for (unsigned k = 0; k < measured->n_functions; k++)
        function ^= equations.row[k + 2] & 1 ? measured->function[k] : 0;
    *ret_opposite = equations.row[1] & 1;
    return function;
}
