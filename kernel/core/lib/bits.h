// SPDX-License-Identifier: MIT
/*
 * Words as sets of bits. Without libgcc, which the kernel does not have, and POPCNT, which old CPUs
 * lack.
 */
#pragma once

#include <stdint.h>

static inline unsigned bits_count(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* How many bits the numbers below count take; at most 32. */
static inline unsigned bits_for_count(uint32_t count)
{
    return count > 1 ? 32 - (unsigned)__builtin_clz(count - 1) : 0;
}

/* Each bit as two of the three have it. */
static inline uint64_t bits_majority(uint64_t a, uint64_t b, uint64_t c)
{
    return (a & b) | (a & c) | (b & c);
}
