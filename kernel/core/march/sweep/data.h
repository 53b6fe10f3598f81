// SPDX-License-Identifier: MIT
/*
 * What a test writes: for every 64-bit word of memory the value D that w0 writes and r0 expects;
 * w1 and r1 mean its complement. D depends on the physical address and a few numbers only, so any
 * CPU can check what any other wrote.
 *
 * - background: one 64-byte line, the same everywhere. Faults between the bits of one word need
 *   several of them: over solid, 0101…, 0011…, … and their complements any two bits of a word take
 *   all four states (van de Goor and Tlili, "March Tests for Word-Oriented Memories", DATE 1998).
 * - sequence: lines that are written and read one after the other, the same everywhere, for faults
 *   between the bits of a line (data_sequence).
 * - address: each word is made from its line's physical address, so that two addresses that reach
 *   the same cells are seen whatever bits they differ in, and each by the other's address
 *   (data_address_of). A new key a pass: what an earlier pass left behind does not look right.
 * - walking: one bit in each word, in another place each round and from word to word.
 * - bus: for the data bus. A line is a burst of eight words, the bus's beats; all lanes switch
 *   between beats but those of one bit in eight, which stay: the others' switching disturbs them
 *   most.
 * - toggles: for the data bus, too, and for cells that others next to them disturb: a random word
 * of each line's own and its complement in turn. All lanes switch at each beat; which of two phases
 *   a lane has is random.
 * - random: each word is a function of its line's address and a key, cheap in vector and in scalar
 *   code: two 32x32-bit multiplications a word, no state carried from line to line.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct line {
    uint64_t word[8];
} __attribute__((aligned(64)));

enum data_kind {
    DATA_BACKGROUND,
    DATA_WALKING,
    DATA_BUS,
    DATA_SEQUENCE,
    DATA_TOGGLES,
    DATA_ADDRESS,
    DATA_RANDOM,
};

struct data {
    struct line background; /* the first four kinds; of the next two what the hash is XORed with */
    uint64_t key;           /* the last three kinds */
    enum data_kind kind;
};

#define DATA_BACKGROUNDS_WORD 7  /* solid; 1, 2, … 32 bits alternating: all pairs in a word */
#define DATA_BACKGROUNDS_LINE 10 /* and 1, 2, 4 words alternating: all pairs in a line */
#define DATA_WALKING_ROUNDS   64
#define DATA_BUS_ROUNDS       10
#define DATA_SEQUENCE_ROUNDS  25

/* Number 0 is all zero; number n: 2^(n-1) bits set from bit 0 on, as many clear, and so on. */
struct data data_background(uint32_t number);

/* Number n: in word i bit (n + i) % 64. */
struct data data_walking(uint32_t number);

/*
 * Number 0: words of all ones and all zeros in turn; 1: 0101… and 1010…, neighbouring lanes against
 * each other; 2 + k: as 0, but lanes k, k + 8, k + 16, … hold still.
 */
struct data data_bus(uint32_t number);

/*
 * In lines 0 to DATA_SEQUENCE_ROUNDS - 1, one after the other, any bit of the 512 goes from 0 to 1
 * and from 1 to 0, both when any other one is 0 and when it is 1 afterwards. The last two lines are
 * solid zeros and ones. With each line read before the next is written, any state, idempotent or
 * inversion coupling between two bits shows. Complements on several backgrounds need twice as many
 * writes.
 */
struct data data_sequence(uint32_t number);

struct data data_address(uint64_t key);
struct data data_random(uint64_t key);

/* The data of one round of a test: number round, or a key made of seed and round. */
struct data data_make(enum data_kind kind, uint32_t round, uint64_t seed);

/* D of the word at phys (8-byte aligned): the definition that all line operations agree with. */
uint64_t data_word(const struct data *data, uint64_t phys);

/*
 * For DATA_ADDRESS: the physical address of the line whose word i holds value, if any has: an
 * alias of the line where it was found, when that is another one. Words are spread over 2^64, so
 * that a wrong bit or a lane that is stuck does not make one line's word look like another's.
 */
uint64_t data_address_of(const struct data *data, size_t i, uint64_t value);

/*
 * The same for DATA_RANDOM and word 0, of which each value is one address's: whether it is another
 * line's data is known once that line's other words have been compared.
 */
uint64_t data_random_address_of(const struct data *data, uint64_t value);

/*
 * Address word i of a line is (line's address * M + key) ^ C[i]: M is odd, so the product can be
 * undone; the constants are arbitrary.
 */
#define DATA_ADDRESS_M         UINT64_C(0xd1342543de82ef95)
#define DATA_ADDRESS_M_INVERSE UINT64_C(0x572b5ee77a54e3bd)
static const struct line DATA_ADDRESS_WORDS = { {
    UINT64_C(0x0),
    UINT64_C(0x9e3779b97f4a7c15),
    UINT64_C(0x3c6ef372fe94f82a),
    UINT64_C(0xdaa66d2c7ddf743f),
    UINT64_C(0x78dde6e5fd29f054),
    UINT64_C(0x1715609f7c746c69),
    UINT64_C(0xb54cda58fbbee87e),
    UINT64_C(0x538454127b096493),
} };

static inline uint64_t data_address_hash(uint64_t line_phys, uint64_t key)
{
    return line_phys * DATA_ADDRESS_M + key;
}

/*
 * Random word i of a line is lo(h) * A[i] ^ swap(hi(h) * B[i]): h is the hash of the line's address
 * and the key, lo and hi are its 32-bit halves, swap exchanges the halves of the 64-bit product.
 * The low bits of a product depend on few bits of its factors and the high ones never wrap; the
 * swap pairs each such bit with a good one. A and B are odd and just below 2^31, so that scalar
 * code can hold them as immediates, and otherwise arbitrary; test_data.c checks the statistics. The
 * first ones are 1: word 0 is the hash itself, from which the address can be computed again.
 */
static const struct line DATA_RANDOM_A = { {
    0x1,
    0x7e24e8bb,
    0x5c6ed537,
    0x78267b1b,
    0x5245c637,
    0x59dd771d,
    0x5d1db3e3,
    0x5be6db6b,
} };
static const struct line DATA_RANDOM_B = { {
    0x1,
    0x5c7061a5,
    0x70d342ff,
    0x6179eec3,
    0x72d0d723,
    0x66bf3513,
    0x61ecd075,
    0x4ab0b385,
} };

#define DATA_RANDOM_M         UINT64_C(0x9e3779b97f4a7c15)
#define DATA_RANDOM_N         UINT64_C(0xd6e8feb86659fd93)
#define DATA_RANDOM_M_INVERSE UINT64_C(0xf1de83e19937733d)
#define DATA_RANDOM_N_INVERSE UINT64_C(0xcfee444d8b59a89b)

static inline uint64_t data_random_hash(uint64_t line_phys, uint64_t key)
{
    uint64_t h = (line_phys ^ key) * DATA_RANDOM_M;

    h = (h ^ h >> 32) * DATA_RANDOM_N;
    return h ^ h >> 32;
}
