// SPDX-License-Identifier: MIT
/*
 * Parities: sums modulo 2 of address bits that all atoms of a group share, by linear algebra over
 * GF(2).
 */
#pragma once

#include <stdint.h>

#include "badram/pattern.h"

/* The differences between atoms, as a basis in echelon form. */
struct parity {
    uint64_t first;     /* an address, from which differences are taken */
    uint64_t basis[52]; /* by highest bit; 0: none */
};

struct parity bit_parity_start(struct pattern atom);
void bit_parity_add(struct parity *parity, struct pattern atom);

/*
 * Of the parities of bits in `free`, at least two each, one of few bits: the least in the reduced
 * basis of all of them. 0: there is none.
 */
uint64_t bit_parity_sparsest(const struct parity *parity, uint64_t free);
