// SPDX-License-Identifier: MIT
#include "external/garble.h"

#include "lib/bits.h"
#include "lib/string.h"

#define BLOCKS      4
#define BLOCK_WORDS 2
#define LINE_BYTES  64

/*
 * Of 64 random bytes, 56.7 differ from each other, give or take 2.4; each of the eight bits is set
 * in 32 of them, give or take 4.
 */
#define FEWEST_BYTES 41
#define SET_MIN      7
#define SET_MAX      57

static bool is_right(const struct line *expected, const struct line *found, unsigned block)
{
    const size_t first = block * BLOCK_WORDS;

    return memcmp(&expected->word[first], &found->word[first], BLOCK_WORDS * sizeof(uint64_t)) == 0;
}

enum garble garble_of(const struct written *written, uint64_t phys, const struct line *expected,
                      const struct line *found)
{
    const uint32_t words = unrelated_words(written, phys, expected, found);
    const uint32_t both = (1u << BLOCK_WORDS) - 1;
    unsigned n_random = 0;

    for (unsigned block = 0; block < BLOCKS; block++) {
        if ((words >> block * BLOCK_WORDS & both) == both)
            n_random++;
        else if (!is_right(expected, found, block))
            return GARBLE_NOT;
    }
    if (n_random == BLOCKS)
        return GARBLE_WHOLE;
    return n_random ? GARBLE_PART : GARBLE_NOT;
}

static unsigned count_bytes(const struct line *line)
{
    uint64_t seen[4] = { 0 };
    unsigned n = 0;

    for (unsigned i = 0; i < LINE_BYTES; i++) {
        uint8_t byte = (uint8_t)(line->word[i / 8] >> i % 8 * 8);

        seen[byte / 64] |= UINT64_C(1) << byte % 64;
    }
    for (unsigned i = 0; i < 4; i++)
        n += bits_count(seen[i]);
    return n;
}

bool garble_is_random(const struct line *line)
{
    if (count_bytes(line) < FEWEST_BYTES)
        return false;
    for (unsigned bit = 0; bit < 8; bit++) {
        unsigned n_set = 0;

        for (unsigned i = 0; i < LINE_BYTES / 8; i++)
            n_set += bits_count(line->word[i] >> bit & UINT64_C(0x0101010101010101));
        if (n_set < SET_MIN || n_set > SET_MAX)
            return false;
    }
    return true;
}

bool garble_look_wants(const struct garble_look *look)
{
    return !atomic_load(&look->seen) &&
           atomic_load(&look->n_garbled) + atomic_load(&look->n_others) < GARBLE_LINES_ASKED;
}

void garble_look_add(struct garble_look *look, enum garble garble, bool came_right)
{
    unsigned n_garbled, n_others;

    if (garble == GARBLE_WHOLE && !came_right)
        return; /* a device may have written it */
    if (garble == GARBLE_NOT)
        atomic_fetch_add(&look->n_others, 1);
    else
        atomic_fetch_add(&look->n_garbled, 1);
    n_garbled = atomic_load(&look->n_garbled);
    n_others = atomic_load(&look->n_others);
    if (n_garbled >= GARBLE_LINES && n_garbled >= GARBLE_FOR_OTHERS * n_others)
        atomic_store(&look->seen, true);
}

bool garble_look_is_seen(const struct garble_look *look)
{
    return atomic_load(&look->seen);
}
