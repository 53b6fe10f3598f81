// SPDX-License-Identifier: MIT
#include "tests/host/row_machine.h"

#include "lib/gf2.h"
#include "lib/splitmix.h"

#define FAST  370 /* cycles, as measured on a Zen 3 server at 2.45 GHz */
#define OTHER 8   /* more, in one channel: a mode between */

static double uniform(struct row_machine *m)
{
    return (double)(splitmix_next(&m->random) >> 11) / (double)(UINT64_C(1) << 53);
}

/* Of standard deviation 1: the sum of 12 uniform numbers, less its mean. */
static double normal(struct row_machine *m)
{
    double sum = -6;

    for (unsigned i = 0; i < 12; i++)
        sum += uniform(m);
    return sum;
}

static struct published_place place_of(const struct row_machine *m, uint64_t phys)
{
    return dram_place_of(m->map, row_map_linear(m->addresses_shift ? m->hole : 0, phys));
}

static bool same_bank(const struct published_place *a, const struct published_place *b)
{
    bool same = true;

    for (unsigned f = 0; f < DRAM_FIELDS; f++)
        same &= a->field[f] == b->field[f];
    return same;
}

uint32_t row_machine_latency(void *ctx, uint64_t phys, uint64_t other)
{
    struct row_machine *m = ctx;
    struct published_place a = place_of(m, phys), b = place_of(m, other);
    bool slow = same_bank(&a, &b) && (a.row != b.row || m->closes_rows);
    double cycles = FAST;

    if (m->is_random)
        return (uint32_t)(FAST + 400 * uniform(m));
    if (uniform(m) < m->noise.wrong)
        slow = !slow;
    if (slow && !m->has_no_conflicts)
        cycles += ROW_MACHINE_CONFLICT;
    else if (a.field[DRAM_CHANNEL] == b.field[DRAM_CHANNEL])
        cycles += OTHER;
    cycles += normal(m) * m->noise.spread * ROW_MACHINE_CONFLICT;
    if (uniform(m) < m->noise.outliers)
        cycles *= 1 + 2 * uniform(m);
    return cycles < 1 ? 1 : (uint32_t)cycles;
}

void row_machine_memory(const struct row_machine *machine, unsigned without, struct row_memory *ret)
{
    uint64_t bytes = UINT64_C(1) << machine->map->bits, random = machine->random;

    *ret = (struct row_memory){ 0 };
    if (!without) {
        row_memory_add(ret, (struct span){ 0, ROW_HOLE_END - machine->hole });
        row_memory_add(ret, (struct span){ ROW_HOLE_END, bytes - ROW_HOLE_END });
        if (machine->addresses_shift)
            row_memory_add(ret, (struct span){ bytes, machine->hole });
        return;
    }
    for (uint64_t at = 0; at < bytes; at += UINT64_C(2) << 20) { /* pages of 2 MiB */
        bool in_hole = at < ROW_HOLE_END && at >= ROW_HOLE_END - machine->hole;

        if (!in_hole && splitmix_next(&random) % without)
            row_memory_add(ret, (struct span){ at, UINT64_C(2) << 20 });
    }
}

/* Over the bits that the search knew, the spaces of both maps' functions are the same. */
bool row_machine_has_banks(const struct row_machine *machine, const struct row_map *found)
{
    struct gf2_basis published = { 0 }, both;

    for (unsigned f = 0; f < DRAM_FIELDS; f++) {
        for (unsigned i = 0; i < PUBLISHED_FUNCTIONS_MAX && machine->map->function[f][i]; i++)
            gf2_add(&published, machine->map->function[f][i] & found->bits);
    }
    both = published;
    for (unsigned i = 0; i < found->n_functions; i++)
        gf2_add(&both, found->function[i]);
    return published.rank == both.rank && published.rank == found->n_functions;
}

bool row_machine_has_rows(const struct row_machine *machine, const struct row_map *found)
{
    return found->row == (machine->map->row & found->bits);
}
