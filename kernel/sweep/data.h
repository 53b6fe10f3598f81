/*
 * What a test writes: for every 64-bit word of memory the value D that w0 writes and r0 expects;
 * w1 and r1 mean its complement. D depends on the physical address and a few numbers only, so any
 * CPU can check what any other wrote.
 *
 * - background: one 64-byte line, the same everywhere. Faults between the bits of one word need
 *   several of them: over solid, 0101…, 0011…, … and their complements any two bits of a word take
 *   all four states (van de Goor and Tlili, "March Tests for Word-Oriented Memories", DATE 1998).
 * - address: each word holds its own physical address xor a key. Two addresses that reach the same
 *   cells are seen whatever bits they differ in. A new key a pass: what an earlier pass left behind
 *   does not look right.
 * - random: each word is a function of its line's address and a key, cheap in vector and in scalar
 *   code: two 32x32-bit multiplications a word, no state carried from line to line.
 */
#pragma once

#include <stdint.h>

struct line {
    uint64_t word[8];
} __attribute__((aligned(64)));

enum data_kind {
    DATA_BACKGROUND,
    DATA_ADDRESS,
    DATA_RANDOM,
};

struct data {
    struct line background; /* DATA_BACKGROUND */
    uint64_t key;           /* DATA_ADDRESS, DATA_RANDOM */
    enum data_kind kind;
};

#define DATA_BACKGROUNDS_WORD 7  /* solid; 1, 2, … 32 bits alternating: all pairs in a word */
#define DATA_BACKGROUNDS_LINE 10 /* and 1, 2, 4 words alternating: all pairs in a line */

/* Number 0 is all zero; number n: 2^(n-1) bits set from bit 0 on, as many clear, and so on. */
struct data data_background(uint32_t number);

struct data data_address(uint64_t key);
struct data data_random(uint64_t key);

/* The data of one round of a test: background number round, or a key made of seed and round. */
struct data data_make(enum data_kind kind, uint32_t round, uint64_t seed);

/* D of the word at phys (8-byte aligned): the definition that all line operations agree with. */
uint64_t data_word(const struct data *data, uint64_t phys);

/*
 * Random word i of a line is lo(h) * A[i] ^ swap(hi(h) * B[i]): h is the hash of the line's address
 * and the key, lo and hi are its 32-bit halves, swap exchanges the halves of the 64-bit product.
 * The low bits of a product depend on few bits of its factors and the high ones never wrap; the
 * swap pairs each such bit with a good one. A and B are odd and just below 2^31, so that scalar
 * code can hold them as immediates, and otherwise arbitrary; test_data.c checks the statistics.
 */
static const struct line DATA_RANDOM_A = { {
    0x64428b7b,
    0x7e24e8bb,
    0x5c6ed537,
    0x78267b1b,
    0x5245c637,
    0x59dd771d,
    0x5d1db3e3,
    0x5be6db6b,
} };
static const struct line DATA_RANDOM_B = { {
    0x6fbae369,
    0x5c7061a5,
    0x70d342ff,
    0x6179eec3,
    0x72d0d723,
    0x66bf3513,
    0x61ecd075,
    0x4ab0b385,
} };

static inline uint64_t data_random_hash(uint64_t line_phys, uint64_t key)
{
    uint64_t h = (line_phys ^ key) * UINT64_C(0x9e3779b97f4a7c15);

    h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return h ^ h >> 32;
}
