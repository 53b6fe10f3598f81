// SPDX-License-Identifier: MIT
#include "rows/row_agreement.h"

#include <stddef.h>

#include "lib/gf2.h"

/* Bytes that addresses above 4 GiB do without, by the registers. What is moved from the end of the
 * memory into a hole below 4 GiB is no such part. */
static uint64_t hole_of(const struct dram_map *map)
{
    for (const struct dram_move *m = map->move; m < map->move + map->n_moves; m++) {
        if (m->start == ROW_HOLE_END)
            return m->subtract;
    }
    return 0;
}

static const char *contradiction_of(const struct dram_map *map, const struct dram_zone *zone,
                                    const struct row_map *measured, const struct gf2_basis *span)
{
    struct dram_functions f;
    bool has_banks = true;

    dram_map_functions(map, zone, &f);
    for (unsigned i = 0; i < 1u << zone->n_functions; i++) {
        const struct dram_channel *c = &map->channel[zone->channel[i]];

        for (unsigned d = 0; d < DRAM_DIMMS_MAX; d++)
            has_banks &= c->dimm[d].n_banks || !c->n_selects;
    }
    for (unsigned i = 0; i < f.n_module; i++) {
        if (!gf2_contains(span, f.function[i] & measured->bits))
            return "a function that chooses the module is none of those that timing shows";
    }
    for (unsigned i = f.n_module; i < f.n; i++) {
        if (!gf2_contains(span, f.function[i] & measured->bits))
            return "a function that chooses the bank is none of those that timing shows";
    }
    if (has_banks && f.all_linear && f.n != span->rank)
        return "timing shows another number of banks";
    return NULL;
}

enum row_agreement row_agreement_of(const struct dram_map *map, const struct row_map *measured,
                                    uint64_t *ret_below, const char **ret_reason)
{
    struct gf2_basis span = { 0 };
    bool compared = false;

    *ret_reason = NULL;
    *ret_below = measured->bits ? UINT64_C(2) << (63 - __builtin_clzll(measured->bits)) : 0;
    for (unsigned i = 0; i < measured->n_functions; i++)
        gf2_add(&span, measured->function[i]);
    if (*ret_below > ROW_HOLE_END && hole_of(map) != measured->hole)
        *ret_reason = "the hole below 4 GiB has another size than timing shows";
    for (const struct dram_zone *z = map->zone; z < map->zone + map->n_zones && !*ret_reason; z++) {
        if (z->start >= *ret_below)
            continue;
        *ret_reason = contradiction_of(map, z, measured, &span);
        compared = true;
    }
    if (*ret_reason)
        return ROWS_CONTRADICT;
    return compared ? ROWS_AGREE : ROWS_UNCOMPARED;
}
