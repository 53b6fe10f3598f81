// SPDX-License-Identifier: MIT
#include "badram/division.h"

#include "lib/panic.h"

void division_bits_add(struct division_bits *bits, struct pattern atom)
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

struct pattern division_bits_pattern(const struct division_bits *bits)
{
    return pattern_of(bits->zero, bits->one);
}

struct pattern division_bits_without(const struct division_bits *bits, struct pattern atom)
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
        division_bits_add(&g->bits, d->atom[i]);
    if (g->first != DIVISION_NONE)
        g->cost = cost_of(&d->rule, division_bits_pattern(&g->bits), NULL);
    return n;
}

int64_t division_regroup(struct division *d, size_t n_groups)
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
    return division_regroup(d, n);
}

size_t division_move(struct division *d, size_t atom, size_t to)
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
        cost_of(&d->rule, division_bits_pattern(&d->group[g].bits), &ret_list[n++]);
    }
    return n;
}
