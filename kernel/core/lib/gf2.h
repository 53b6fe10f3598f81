// SPDX-License-Identifier: MIT
/*
 * Linear algebra over GF(2): vectors are words of 64 bits, a sum is an XOR, a product of two
 * vectors is the parity of their AND.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/bits.h"

/* A basis of a linear space: row[i] is 0, or its highest bit is i. All zero: empty. */
struct gf2_basis {
    uint64_t row[64];
    unsigned rank;
};

static inline bool gf2_parity(uint64_t vector)
{
    return bits_count(vector) & 1;
}

/* Adds a vector. False: it is a sum of those that are there already. */
bool gf2_add(struct gf2_basis *basis, uint64_t vector);

/* Whether a vector is a sum of the basis' vectors. */
bool gf2_contains(const struct gf2_basis *basis, uint64_t vector);

/*
 * The same space with its only reduced basis: no vector has a bit that is another's highest one.
 */
void gf2_reduce(struct gf2_basis *basis);

/*
 * All vectors made of `bits` alone whose product with each vector of the basis is 0: writes a basis
 * of them, at most `max`, in the order of their lowest bits, and returns how many there are. The
 * basis is reduced, and its vectors are made of `bits`.
 */
unsigned gf2_complement(const struct gf2_basis *basis, uint64_t bits, uint64_t *ret, unsigned max);
