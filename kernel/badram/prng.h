// SPDX-License-Identifier: MIT
/* Chance that repeats: random numbers of a fixed seed, so that equal pages give equal covers. */
#pragma once

#include <stdint.h>

/* The next number, and the state after it; the state is not 0. Xorshift64* (Vigna 2016). */
static inline uint64_t prng_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* One of 0 to n - 1; n is at most 2^32. */
static inline uint64_t prng_below(uint64_t *state, uint64_t n)
{
    return (prng_next(state) >> 32) * n >> 32;
}
