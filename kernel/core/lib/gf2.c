// SPDX-License-Identifier: MIT
#include "lib/gf2.h"

static unsigned highest(uint64_t vector)
{
    return 63 - (unsigned)__builtin_clzll(vector);
}

/* What is left of a vector after the basis' vectors were added that cancel its highest bits. */
static uint64_t remainder_of(const struct gf2_basis *basis, uint64_t vector)
{
    while (vector && basis->row[highest(vector)])
        vector ^= basis->row[highest(vector)];
    return vector;
}

bool gf2_add(struct gf2_basis *basis, uint64_t vector)
{
    uint64_t left = remainder_of(basis, vector);

    if (!left)
        return false;
    basis->row[highest(left)] = left;
    basis->rank++;
    return true;
}

bool gf2_contains(const struct gf2_basis *basis, uint64_t vector)
{
    return !remainder_of(basis, vector);
}

void gf2_reduce(struct gf2_basis *basis)
{
    for (unsigned low = 0; low < 64; low++) {
        if (!basis->row[low])
            continue;
        for (unsigned high = low + 1; high < 64; high++) {
            if (basis->row[high] >> low & 1)
                basis->row[high] ^= basis->row[low];
        }
    }
}

/*
 * A bit that is no vector's highest one is free. In a reduced basis each free bit belongs to one
 * vector of the complement: with it go the highest bits of all vectors that have the free bit.
 */
unsigned gf2_complement(const struct gf2_basis *basis, uint64_t bits, uint64_t *ret, unsigned max)
{
    unsigned n = 0;

    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t vector = UINT64_C(1) << bit;

        if (!(bits & vector) || basis->row[bit])
            continue;
        for (unsigned high = bit + 1; high < 64; high++)
            vector |= (basis->row[high] >> bit & 1) << high;
        if (n < max)
            ret[n] = vector;
        n++;
    }
    return n;
}
