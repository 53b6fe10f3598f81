// SPDX-License-Identifier: MIT
/*
 * What a memory controller that encrypts puts between the CPU and DRAM: each block of 16 bytes goes
 * through a permutation of all such blocks, another one for each address. In place of AES a Feistel
 * network of eight rounds, whose round function is the finalizer of splitmix64: it hides nothing
 * from an attacker, but one bit changed on one side changes half of the bits on the other.
 */
#pragma once

#include <stdint.h>

#define PERMUTATION_BYTES  16
#define PERMUTATION_ROUNDS 8

struct permuted {
    uint64_t half[2];
};

static inline uint64_t permutation_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline uint64_t permutation_round(uint64_t half, uint64_t address, unsigned round)
{
    return permutation_mix(half +
                           permutation_mix(address + UINT64_C(0x9e3779b97f4a7c15) * (round + 1)));
}

/* What DRAM holds of a block that was written to this address; and back. */
static inline struct permuted permutation_store(struct permuted block, uint64_t address)
{
    for (unsigned i = 0; i < PERMUTATION_ROUNDS; i++)
        block.half[i % 2] ^= permutation_round(block.half[1 - i % 2], address, i);
    return block;
}

static inline struct permuted permutation_load(struct permuted block, uint64_t address)
{
    for (unsigned i = PERMUTATION_ROUNDS; i-- > 0;)
        block.half[i % 2] ^= permutation_round(block.half[1 - i % 2], address, i);
    return block;
}
