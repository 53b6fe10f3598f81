// SPDX-License-Identifier: MIT
#include "sweep/data.h"

#include "lib/panic.h"
#include "lib/splitmix.h"

#define WORD_BITS 64

struct data data_background(uint32_t number)
{
    struct data data = { .kind = DATA_BACKGROUND };

    ASSERT(number < DATA_BACKGROUNDS_LINE);
    for (uint32_t bit = 0; number && bit < 8 * WORD_BITS; bit++) {
        uint64_t set = ~(bit >> (number - 1)) & 1;

        data.background.word[bit / WORD_BITS] |= set << bit % WORD_BITS;
    }
    return data;
}

struct data data_walking(uint32_t number)
{
    struct data data = { .kind = DATA_WALKING };

    ASSERT(number < DATA_WALKING_ROUNDS);
    for (uint32_t i = 0; i < 8; i++)
        data.background.word[i] = UINT64_C(1) << (number + i) % WORD_BITS;
    return data;
}

struct data data_bus(uint32_t number)
{
    struct data data = { .kind = DATA_BUS };
    uint64_t still = number < 2 ? 0 : UINT64_C(0x0101010101010101) << (number - 2);
    uint64_t even = number == 1 ? UINT64_C(0x5555555555555555) : 0;

    ASSERT(number < DATA_BUS_ROUNDS);
    for (uint32_t i = 0; i < 8; i++)
        data.background.word[i] = (i % 2 ? ~even : even) & ~still;
    return data;
}

static struct data data_toggles(uint64_t key)
{
    struct data data = { .kind = DATA_TOGGLES, .key = key };

    for (uint32_t i = 1; i < 8; i += 2)
        data.background.word[i] = ~UINT64_C(0);
    return data;
}

struct data data_address(uint64_t key)
{
    return (struct data){ .kind = DATA_ADDRESS, .key = key, .background = DATA_ADDRESS_WORDS };
}

struct data data_random(uint64_t key)
{
    return (struct data){ .kind = DATA_RANDOM, .key = key };
}

struct data data_make(enum data_kind kind, uint32_t round, uint64_t seed)
{
    uint64_t key = splitmix_mix(seed + (round + UINT64_C(1)) * SPLITMIX_STEP);

    switch (kind) {
    case DATA_BACKGROUND: return data_background(round);
    case DATA_WALKING: return data_walking(round);
    case DATA_BUS: return data_bus(round);
    case DATA_SEQUENCE: return data_sequence(round);
    case DATA_TOGGLES: return data_toggles(key);
    case DATA_ADDRESS: return data_address(key);
    case DATA_RANDOM: return data_random(key);
    }
    panic("sweep: data kind %d", (int)kind);
}

uint64_t data_word(const struct data *data, uint64_t phys)
{
    size_t i = phys / sizeof(uint64_t) % 8;
    uint64_t h, a, b;

    switch (data->kind) {
    case DATA_BACKGROUND:
    case DATA_WALKING:
    case DATA_BUS:
    case DATA_SEQUENCE: return data->background.word[i];
    case DATA_TOGGLES:
        return data_random_hash(phys - i * sizeof(uint64_t), data->key) ^ data->background.word[i];
    case DATA_ADDRESS:
        return data_address_hash(phys - i * sizeof(uint64_t), data->key) ^ data->background.word[i];
    case DATA_RANDOM:
        h = data_random_hash(phys - i * sizeof(uint64_t), data->key);
        a = (uint32_t)h * DATA_RANDOM_A.word[i];
        b = (h >> 32) * DATA_RANDOM_B.word[i];
        return a ^ (b << 32 | b >> 32);
    }
    panic("sweep: data kind %d", (int)data->kind);
}

uint64_t data_address_of(const struct data *data, size_t i, uint64_t value)
{
    return ((value ^ DATA_ADDRESS_WORDS.word[i]) - data->key) * DATA_ADDRESS_M_INVERSE;
}

uint64_t data_random_address_of(const struct data *data, uint64_t value)
{
    uint64_t h = (value ^ value >> 32) * DATA_RANDOM_N_INVERSE;

    return (h ^ h >> 32) * DATA_RANDOM_M_INVERSE ^ data->key;
}
