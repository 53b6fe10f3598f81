// SPDX-License-Identifier: MIT
#include "external/looks_external.h"

#include "lib/bits.h"
#include "lib/minmax.h"

#define WORDS           8
#define BYTE_LANES      8
#define UNRELATED_WORDS 6
#define LANE_WORDS      4
#define UNLIKE_BITS     12
#define EACH_BYTE       UINT64_C(0x0101010101010101)

/* The words of all backgrounds (sweep/data.h); walking bits are near the first. */
static const uint64_t backgrounds[] = {
    UINT64_C(0),
    UINT64_C(0x5555555555555555),
    UINT64_C(0x3333333333333333),
    UINT64_C(0x0f0f0f0f0f0f0f0f),
    UINT64_C(0x00ff00ff00ff00ff),
    UINT64_C(0x0000ffff0000ffff),
    UINT64_C(0x00000000ffffffff),
};

/* Neither nearly the same, nor nearly the complement. */
static bool are_unlike(uint64_t a, uint64_t b)
{
    unsigned differ = bits_count(a ^ b);

    return differ >= UNLIKE_BITS && differ <= 64 - UNLIKE_BITS;
}

/* Also of words in other places: the beats of a burst may be out of step. */
static bool is_of_line(uint64_t word, const struct line *line)
{
    for (size_t i = 0; i < WORDS; i++) {
        if (!are_unlike(word, line->word[i]))
            return true;
    }
    return false;
}

static bool is_of_background(uint64_t word)
{
    for (size_t i = 0; i < sizeof(backgrounds) / sizeof(backgrounds[0]); i++) {
        if (!are_unlike(word, backgrounds[i]))
            return true;
    }
    for (unsigned lane = 0; lane < 8; lane++) {
        if (!are_unlike(word, EACH_BYTE << lane))
            return true;
    }
    for (uint32_t round = 0; round < DATA_SEQUENCE_ROUNDS; round++) {
        struct data data = data_sequence(round);

        if (is_of_line(word, &data.background))
            return true;
    }
    return word == (word & 0xff) * EACH_BYTE;
}

static bool comes_again(const struct line *line, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (line->word[k] == line->word[i])
            return true;
    }
    return false;
}

static bool is_unrelated_word(const struct line *expected, const struct line *found, size_t i)
{
    return !is_of_line(found->word[i], expected) && !is_of_background(found->word[i]) &&
           !comes_again(found, i);
}

static size_t count_unrelated(const struct line *expected, const struct line *found)
{
    size_t n = 0;

    for (size_t i = 0; i < WORDS; i++)
        n += is_unrelated_word(expected, found, i);
    return n;
}

static bool differs_in_all_lanes(const struct line *expected, const struct line *found)
{
    for (unsigned lane = 0; lane < BYTE_LANES; lane++) {
        size_t n = 0;

        for (size_t i = 0; i < WORDS; i++)
            n += ((expected->word[i] ^ found->word[i]) >> lane * 8 & 0xff) != 0;
        if (n < LANE_WORDS)
            return false;
    }
    return true;
}

static bool is_line_address(const struct written *written, uint64_t phys)
{
    return phys % sizeof(struct line) == 0 && phys < written->memory_end;
}

/* Whether a word, or its complement, is what these data have in that place of some line. */
static bool is_data_of_any(const struct written *written, const struct data *data, size_t i,
                           uint64_t word)
{
    for (unsigned complement = 0; complement < 2; complement++, word = ~word) {
        if (data->kind == DATA_ADDRESS && is_line_address(written, data_address_of(data, i, word)))
            return true;
        if (data->kind == DATA_RANDOM && i == 0 &&
            is_line_address(written, data_random_address_of(data, word)))
            return true;
    }
    return false;
}

static bool was_word_written(const struct written *written, uint64_t phys, size_t i, uint64_t word)
{
    size_t n = min_u64(written->n, WRITTEN_MAX);

    for (size_t k = 0; k < n; k++) {
        const struct data *data = &written->data[k];

        if (is_data_of_any(written, data, i, word) ||
            !are_unlike(word, data_word(data, phys + i * sizeof(uint64_t))))
            return true;
    }
    return false;
}

static bool was_written(const struct written *written, uint64_t phys, const struct line *found)
{
    for (size_t i = 0; i < WORDS; i++) {
        if (was_word_written(written, phys, i, found->word[i]))
            return true;
    }
    return false;
}

void written_add(struct written *written, const struct data *data)
{
    if (data->kind != DATA_ADDRESS && data->kind != DATA_RANDOM)
        return;
    written->data[written->n % WRITTEN_MAX] = *data;
    written->n++;
}

bool looks_external(const struct written *written, uint64_t phys, const struct line *expected,
                    const struct line *found)
{
    return differs_in_all_lanes(expected, found) &&
           count_unrelated(expected, found) >= UNRELATED_WORDS &&
           !was_written(written, phys, found);
}

uint32_t unrelated_words(const struct written *written, uint64_t phys, const struct line *expected,
                         const struct line *found)
{
    uint32_t words = 0;

    for (size_t i = 0; i < WORDS; i++) {
        if (is_unrelated_word(expected, found, i) &&
            !was_word_written(written, phys, i, found->word[i]))
            words |= 1u << i;
    }
    return words;
}
