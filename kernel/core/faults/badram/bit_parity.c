// SPDX-License-Identifier: MIT
#include "badram/bit_parity.h"

#include "lib/bits.h"

static unsigned top_bit(uint64_t x)
{
    return 63 - (unsigned)__builtin_clzll(x);
}

static void add_difference(struct parity *parity, uint64_t x)
{
    while (x && parity->basis[top_bit(x)])
        x ^= parity->basis[top_bit(x)];
    if (x)
        parity->basis[top_bit(x)] = x;
}

struct parity bit_parity_start(struct pattern atom)
{
    struct parity parity = { .first = atom.addr };

    bit_parity_add(&parity, atom);
    return parity;
}

void bit_parity_add(struct parity *parity, struct pattern atom)
{
    add_difference(parity, atom.addr ^ parity->first);
    for (uint64_t free = ~atom.mask & PATTERN_MASK_BITS; free; free &= free - 1)
        add_difference(parity, free & -free);
}

/*
 * In the reduced basis each vector alone holds its highest bit (its pivot). A free bit b that is no
 * pivot gives a parity: b itself, and the pivots of the vectors that hold b.
 */
uint64_t bit_parity_sparsest(const struct parity *parity, uint64_t free)
{
    uint64_t reduced[52], pivots = 0, best = 0;

    for (unsigned i = 0; i < 52; i++) {
        reduced[i] = parity->basis[i];
        for (uint64_t left = reduced[i] & pivots; left; left &= left - 1)
            reduced[i] ^= reduced[top_bit(left & -left)];
        if (reduced[i])
            pivots |= UINT64_C(1) << i;
    }
    for (uint64_t left = free & ~pivots; left; left &= left - 1) {
        uint64_t bit = left & -left, sum = bit;

        for (unsigned i = 0; i < 52; i++)
            if (reduced[i] & bit)
                sum |= UINT64_C(1) << i;
        if (!best || bits_count(sum) < bits_count(best))
            best = sum;
    }
    return best;
}
