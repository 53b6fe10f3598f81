// SPDX-License-Identifier: MIT
#include "sweep/data.h"

#include <math.h>

#include "tests/unit/unit.h"

TEST(backgrounds_are_the_known_ones)
{
    static const uint64_t words[DATA_BACKGROUNDS_WORD] = {
        0x0000000000000000, 0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
        0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff,
    };

    for (uint32_t n = 0; n < DATA_BACKGROUNDS_WORD; n++) {
        struct data d = data_background(n);

        for (uint64_t phys = 0; phys < 256; phys += 8)
            assert_int_equal(data_word(&d, UINT64_C(0x123456789000) + phys), words[n]);
    }
    for (uint32_t n = DATA_BACKGROUNDS_WORD; n < DATA_BACKGROUNDS_LINE; n++) {
        struct data d = data_background(n);

        for (uint64_t i = 0; i < 16; i++)
            assert_int_equal(data_word(&d, i * 8),
                             i >> (n - DATA_BACKGROUNDS_WORD) & 1 ? 0 : UINT64_MAX);
    }
}

/* What couplings between two bits need of what is written one after the other. */
struct changes {
    bool up_to_0, up_to_1, down_to_0, down_to_1; /* the first bit changes, the other is so then */
};

static bool bit_of(const struct line *line, uint32_t bit)
{
    return line->word[bit / 64] >> bit % 64 & 1;
}

static void add_change(struct changes *c, const struct line *before, const struct line *after,
                       uint32_t a, uint32_t b)
{
    bool was = bit_of(before, a), is = bit_of(after, a), other = bit_of(after, b);

    c->up_to_0 |= !was && is && !other;
    c->up_to_1 |= !was && is && other;
    c->down_to_0 |= was && !is && !other;
    c->down_to_1 |= was && !is && other;
}

TEST(the_sequence_changes_any_two_bits_in_all_ways)
{
    static struct line lines[DATA_SEQUENCE_ROUNDS];
    for (uint32_t n = 0; n < DATA_SEQUENCE_ROUNDS; n++) {
        struct data d = data_sequence(n);

        lines[n] = d.background;
        for (uint64_t phys = 0; phys < 128; phys += 8)
            assert_int_equal(data_word(&d, phys), lines[n].word[phys / 8 % 8]);
    }
    for (uint32_t a = 0; a < 512; a++) {
        for (uint32_t b = 0; b < 512; b++) {
            struct changes c = { 0 };

            for (uint32_t n = 1; n < DATA_SEQUENCE_ROUNDS; n++)
                add_change(&c, &lines[n - 1], &lines[n], a, b);
            assert_true(a == b || (c.up_to_0 && c.up_to_1 && c.down_to_0 && c.down_to_1));
        }
    }
}

/* What backgrounds are for: any two bits take all of 00, 01, 10, 11, complements included. */
TEST(any_two_bits_take_all_four_states)
{
    static const struct {
        uint32_t bits, backgrounds;
    } units[] = { { 64, DATA_BACKGROUNDS_WORD }, { 512, DATA_BACKGROUNDS_LINE } };

    for (size_t u = 0; u < 2; u++) {
        struct data d[DATA_BACKGROUNDS_LINE];

        for (uint32_t n = 0; n < units[u].backgrounds; n++)
            d[n] = data_background(n);
        for (uint32_t a = 0; a < units[u].bits; a++) {
            for (uint32_t b = a + 1; b < units[u].bits; b++) {
                bool equal = false, different = false;

                for (uint32_t n = 0; n < units[u].backgrounds; n++) {
                    const uint64_t *w = d[n].background.word;
                    uint64_t x = w[a / 64] >> a % 64, y = w[b / 64] >> b % 64;

                    equal |= !((x ^ y) & 1);
                    different |= (x ^ y) & 1;
                }
                assert_true(equal && different);
            }
        }
    }
}

TEST(address_data_tells_the_address)
{
    static const uint64_t places[] = { 0, 8, 0xfffff8, 0xfffffff8, 0x100000000, 0xffffffffffff8 };
    static const uint64_t keys[] = { 0, 1, 0x8000000000000000, 0x123456789abcdef0 };

    for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
        for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
            struct data d = data_address(keys[k]);

            uint64_t word = data_word(&d, places[p]), i = places[p] / 8 % 8;

            assert_int_equal(data_address_of(&d, i, word), places[p] & ~UINT64_C(63));

            /* one wrong bit, or the word of another place, is not a line's address */
            for (int bit = 0; bit < 64; bit++) {
                uint64_t other = data_address_of(&d, i, word ^ UINT64_C(1) << bit);

                assert_true(other % 64 || other >> 40);
            }
            for (uint64_t j = 0; j < 8; j++)
                assert_true(j == i || data_address_of(&d, j, word) >> 40);
        }
    }
}

TEST(random_data_tell_the_address)
{
    static const uint64_t places[] = {
        0, 0x40, 0xfffff8, 0xfffffff8, 0x100000000, 0xffffffffffff8
    };

    for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
        for (uint64_t key = 0; key < 1000; key++) {
            struct data d = data_random(key * UINT64_C(0x123456789abcdef1));
            uint64_t line = places[p] & ~UINT64_C(63);

            assert_int_equal(data_random_address_of(&d, data_word(&d, line)), line);
        }
    }
}

TEST(toggles_are_a_word_of_the_lines_own_and_its_complement)
{
    struct data d = data_make(DATA_TOGGLES, 0, 7);
    uint64_t last = 0, ones = 0, zeros = 0; /* lanes that have been 1 after 0, and 0 after 1 */

    for (uint64_t line = 0; line < 4096; line += 64) {
        uint64_t word = data_word(&d, line);

        assert_int_not_equal(word, last);
        ones |= line ? word & ~last : 0;
        zeros |= line ? ~word & last : 0;
        for (unsigned i = 1; i < 8; i++)
            assert_int_equal(data_word(&d, line + 8 * i), i % 2 ? ~word : word);
        last = word;
    }
    assert_int_equal(ones & zeros, UINT64_MAX);
    assert_int_not_equal(data_make(DATA_TOGGLES, 1, 7).key, d.key);
    assert_int_not_equal(data_make(DATA_TOGGLES, 0, 8).key, d.key);
}

TEST(walking_and_bus_data_are_as_told)
{
    for (uint32_t n = 0; n < DATA_WALKING_ROUNDS; n++) {
        struct data d = data_walking(n);

        for (uint64_t i = 0; i < 8; i++)
            assert_int_equal(data_word(&d, 0x1000 + i * 8), UINT64_C(1) << (n + i) % 64);
    }
    for (uint32_t n = 0; n < DATA_BUS_ROUNDS; n++) {
        struct data d = data_bus(n);
        uint64_t still = n < 2 ? 0 : UINT64_C(0x0101010101010101) << (n - 2);

        for (uint64_t i = 0; i < 7; i++)
            assert_int_equal(data_word(&d, i * 8) ^ data_word(&d, i * 8 + 8), ~still);
        assert_int_equal(data_word(&d, 0), n == 1 ? 0x5555555555555555 : 0);
    }
}

TEST(rounds_and_seeds_give_different_data)
{
    static const enum data_kind kinds[] = { DATA_ADDRESS, DATA_RANDOM };

    for (size_t k = 0; k < 2; k++) {
        uint64_t first[64];
        size_t n = 0;

        for (uint64_t seed = 0; seed < 8; seed++) {
            for (uint32_t round = 0; round < 8; round++) {
                struct data d = data_make(kinds[k], round, seed);
                struct data again = data_make(kinds[k], round, seed);

                first[n] = data_word(&d, 0x1000);
                assert_int_equal(data_word(&again, 0x1000), first[n]);
                for (size_t i = 0; i < n; i++)
                    assert_int_not_equal(first[i], first[n]);
                n++;
            }
        }
    }
    for (uint32_t round = 0; round < DATA_BACKGROUNDS_LINE; round++) {
        struct data a = data_make(DATA_BACKGROUND, round, 99), b = data_background(round);

        assert_memory_equal(a.background.word, b.background.word, sizeof(struct line));
    }
}

/* The values of two neighbouring lines, bit by bit, over many lines. */
#define LINES 4096
#define BITS  512

struct samples {
    uint64_t bit[2 * BITS][LINES / 64];
};

static struct samples *sample(uint64_t key, uint64_t stride)
{
    struct samples *s = test_calloc(1, sizeof(*s));
    struct data d = data_random(key);

    for (uint64_t n = 0; n < LINES; n++) {
        for (uint64_t i = 0; i < 16; i++) {
            uint64_t phys = (n + i / 8) * stride + i % 8 * 8;
            uint64_t w = data_word(&d, phys);

            for (uint64_t b = 0; b < 64; b++)
                s->bit[i * 64 + b][n / 64] |= (w >> b & 1) << n % 64;
        }
    }
    return s;
}

/* Of LINES coin flips, how many standard deviations from half the ones are. */
static double deviation(const uint64_t *a, const uint64_t *b)
{
    int ones = 0;

    for (size_t i = 0; i < LINES / 64; i++)
        ones += __builtin_popcountll(b ? a[i] ^ b[i] : a[i]);
    return fabs(2.0 * ones - LINES) / sqrt(LINES);
}

/* The largest of the 400,000 deviations of true coins would be near 5. */
TEST(random_bits_are_balanced_and_independent)
{
    static const struct {
        uint64_t key, stride;
    } cases[] = { { 0, 64 }, { 1, 64 }, { 0x9e3779b97f4a7c15, 4096 }, { 7, 1 << 30 } };

    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct samples *s = sample(cases[c].key, cases[c].stride);

        for (size_t a = 0; a < BITS; a++) {
            assert_true(deviation(s->bit[a], NULL) < 5);
            for (size_t b = a + 1; b < 2 * BITS; b++)
                assert_true(deviation(s->bit[a], s->bit[b]) < 6);
        }
        test_free(s);
    }
}

/* Each address bit, each key bit: flipping it flips half the bits of every word. */
TEST(every_input_bit_counts)
{
    for (uint32_t bit = 6; bit < 52 + 64; bit++) {
        unsigned flips[64] = { 0 };

        for (uint64_t n = 0; n < 1024; n++) {
            uint64_t phys = n * 0x12345680c0, key = n * 0x123456789abcdef1;
            struct data a = data_random(key);
            struct data b = data_random(bit < 52 ? key : key ^ UINT64_C(1) << (bit - 52));
            uint64_t other = bit < 52 ? phys ^ UINT64_C(1) << bit : phys;
            uint64_t word = n % 8 * 8;
            uint64_t x = data_word(&a, phys + word) ^ data_word(&b, other + word);

            for (uint32_t i = 0; i < 64; i++)
                flips[i] += x >> i & 1;
        }
        for (uint32_t i = 0; i < 64; i++)
            assert_in_range(flips[i], 512 - 96, 512 + 96);
    }
}
