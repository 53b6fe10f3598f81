// SPDX-License-Identifier: MIT
/*
 * SplitMix64: G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators",
 * OOPSLA 2014. From any seed a sequence that is the same on every machine.
 */
#pragma once

#include <stdint.h>

/* From one state to the next. */
#define SPLITMIX_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The output function: neighbouring arguments give unrelated values. */
static inline uint64_t splitmix_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The next of the sequence; begin with the seed as state. */
static inline uint64_t splitmix_next(uint64_t *state)
{
    return splitmix_mix(*state += SPLITMIX_STEP);
}

/* One of 0 to n - 1; n is at most 2^32. */
static inline uint64_t splitmix_below(uint64_t *state, uint64_t n)
{
    return (splitmix_next(state) >> 32) * n >> 32;
}
