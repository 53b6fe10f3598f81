// SPDX-License-Identifier: MIT
#include "badram/split.h"

#include <stdbool.h>

#include "badram/bit_parity.h"
#include "lib/minmax.h"

/* Address bits whose parity all atoms of a group share. */
static uint64_t shared_parity(const struct division *d, const struct division_group *g)
{
    struct parity parity = bit_parity_start(d->atom[g->first]);

    for (uint16_t i = d->next[g->first]; i != DIVISION_NONE; i = d->next[i])
        bit_parity_add(&parity, d->atom[i]);
    return bit_parity_sparsest(&parity, ~division_bits_pattern(&g->bits).mask & PATTERN_MASK_BITS);
}

/* The half of an atom in which the bit is fixed so; false: it has none. */
static bool half_of(struct pattern atom, uint64_t bit, uint64_t value, struct pattern *ret_half)
{
    if (atom.mask & bit && (atom.addr & bit) != value)
        return false;
    *ret_half = (struct pattern){ .addr = atom.addr | value, .mask = atom.mask | bit };
    return true;
}

/* What splitting a group by a bit does. */
struct halves {
    int64_t gain; /* what the two cost less than the whole */
    size_t least; /* atoms in the smaller one */
};

static struct halves halve(const struct division *d, const struct division_group *g, uint64_t bit)
{
    struct division_bits zeros = { 0 }, ones = { 0 };
    size_t n_zeros = 0, n_ones = 0;
    struct pattern half;

    for (uint16_t i = g->first; i != DIVISION_NONE; i = d->next[i]) {
        if (half_of(d->atom[i], bit, 0, &half)) {
            division_bits_add(&zeros, half);
            n_zeros++;
        }
        if (half_of(d->atom[i], bit, bit, &half)) {
            division_bits_add(&ones, half);
            n_ones++;
        }
    }
    return (struct halves){
        .gain = g->cost - cost_of(&d->rule, division_bits_pattern(&zeros), NULL) -
                cost_of(&d->rule, division_bits_pattern(&ones), NULL),
        .least = min_u64(n_zeros, n_ones),
    };
}

/* Where nothing gains, the half with the fewest atoms is on the way to one that has none. */
static void find_split(const struct division *d, struct split_work *work, size_t group)
{
    const struct division_group *g = &d->group[group];
    uint64_t free = ~division_bits_pattern(&g->bits).mask & PATTERN_MASK_BITS, bit = 0;
    struct halves best = { .gain = -1 };

    for (; free; free &= free - 1) {
        struct halves halves = halve(d, g, free & -free);

        if (halves.gain > best.gain || (halves.gain == best.gain && halves.least < best.least)) {
            best = halves;
            bit = free & -free;
        }
    }
    if (best.gain == 0) {
        uint64_t parity = shared_parity(d, g);

        if (parity)
            bit = parity & -parity;
    }
    work->best[group].gain = best.gain;
    work->best[group].bit = bit;
    work->best[group].least = best.least;
}

/* Whether splitting group a comes before splitting group b. */
static bool is_better(const struct division *d, const struct split_work *work, size_t a, size_t b)
{
    if (work->best[a].gain != work->best[b].gain)
        return work->best[a].gain > work->best[b].gain;
    /* The emptier one first; both sides of a / b > c / d, times b and d. */
    return d->group[a].cost * (int64_t)work->best[b].least >
           d->group[b].cost * (int64_t)work->best[a].least;
}

/* Splits a group; atoms in which the bit is free are cut. False: there is no room for that. */
static bool split(struct division *d, const struct division_group *from, uint64_t bit)
{
    uint16_t to = (uint16_t)d->n_groups;
    size_t n_cut = 0;

    for (uint16_t i = from->first; i != DIVISION_NONE; i = d->next[i])
        n_cut += !(d->atom[i].mask & bit);
    if (n_cut > DIVISION_ATOMS_MAX - d->n_atoms)
        return false;
    for (uint16_t i = from->first; i != DIVISION_NONE; i = d->next[i]) {
        if (!(d->atom[i].mask & bit)) {
            half_of(d->atom[i], bit, bit, &d->atom[d->n_atoms]);
            half_of(d->atom[i], bit, 0, &d->atom[i]);
            d->group_of[d->n_atoms++] = to;
        } else if (d->atom[i].addr & bit) {
            d->group_of[i] = to;
        }
    }
    division_regroup(d, d->n_groups + 1);
    return true;
}

int64_t split_division(struct division *d, struct split_work *work, size_t max_groups)
{
    for (size_t i = 0; i < d->n_atoms; i++)
        d->group_of[i] = 0;
    division_regroup(d, 1);
    find_split(d, work, 0);
    while (d->n_groups < max_groups) {
        size_t best = 0;

        for (size_t g = 1; g < d->n_groups; g++)
            if (is_better(d, work, g, best))
                best = g;
        if (!work->best[best].bit)
            break;
        if (!split(d, &d->group[best], work->best[best].bit)) {
            work->best[best].gain = -1;
            work->best[best].bit = 0;
            continue;
        }
        find_split(d, work, best);
        find_split(d, work, d->n_groups - 1);
    }
    return division_regroup(d, d->n_groups);
}
