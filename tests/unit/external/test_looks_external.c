// SPDX-License-Identifier: MIT
#include "external/looks_external.h"

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

#define LINE_AT UINT64_C(0x12345680)
#define END     (UINT64_C(1) << 36)

static uint64_t random_word(uint64_t *seed)
{
    *seed += SPLITMIX_STEP;
    return splitmix_mix(*seed);
}

static struct line random_line(uint64_t *seed)
{
    struct line line;

    for (size_t i = 0; i < 8; i++)
        line.word[i] = random_word(seed);
    return line;
}

static struct line line_of(const struct data *data, uint64_t phys, bool complement)
{
    struct line line;

    for (size_t i = 0; i < 8; i++)
        line.word[i] = data_word(data, phys + 8 * i) ^ (complement ? ~UINT64_C(0) : 0);
    return line;
}

/* All data of all tests, one after the other; false: no more. */
static bool data_number(uint32_t n, struct data *ret)
{
    if (n < DATA_BACKGROUNDS_LINE)
        *ret = data_background(n);
    else if ((n -= DATA_BACKGROUNDS_LINE) < DATA_WALKING_ROUNDS)
        *ret = data_walking(n);
    else if ((n -= DATA_WALKING_ROUNDS) < DATA_BUS_ROUNDS)
        *ret = data_bus(n);
    else if ((n -= DATA_BUS_ROUNDS) < DATA_SEQUENCE_ROUNDS)
        *ret = data_sequence(n);
    else if ((n -= DATA_SEQUENCE_ROUNDS) < 1)
        *ret = data_address(0x1234567890abcdef);
    else if (n < 9)
        *ret = data_random(0xfedcba9876543210 + n);
    else
        return false;
    return true;
}

static struct written all_written(void)
{
    struct written written = { .memory_end = END };
    struct data data;

    for (uint32_t n = 0; data_number(n, &data); n++)
        written_add(&written, &data);
    return written;
}

/* In one of 100,000 lines a word is near one of the tests'. */
TEST(knows_what_a_device_wrote)
{
    struct written written = all_written();
    uint64_t seed = 1, n_lines = 0, n_doubted = 0;
    struct data data;

    for (uint32_t n = 0; data_number(n, &data); n++) {
        for (unsigned i = 0; i < 2000; i++) {
            struct line expected = line_of(&data, LINE_AT, i % 2), found = random_line(&seed);

            n_lines++;
            n_doubted += !looks_external(&written, LINE_AT, &expected, &found);
        }
    }
    assert_in_range(n_doubted, 0, n_lines / 20000);
}

/* A wrong address, a lost write: each line of each data, where any other is expected. */
TEST(knows_all_data_of_tests)
{
    static const uint64_t elsewhere[] = { LINE_AT, LINE_AT ^ 64, 0, UINT64_C(0xfffffffc0) };
    struct written written = all_written();
    struct data here, there;

    for (uint32_t n = 0; data_number(n, &here); n++) {
        for (uint32_t m = 0; data_number(m, &there); m++) {
            for (unsigned i = 0; i < 8; i++) {
                struct line expected = line_of(&here, LINE_AT, i & 1);
                struct line found = line_of(&there, elsewhere[i / 2], i & 1);

                assert_false(looks_external(&written, LINE_AT, &expected, &found));
                found = line_of(&there, elsewhere[i / 2], !(i & 1));
                assert_false(looks_external(&written, LINE_AT, &expected, &found));
                found.word[3] ^= 0x100; /* and a faulty cell */
                assert_false(looks_external(&written, LINE_AT, &expected, &found));
            }
        }
    }
}

/* Each changes a line that should be `expected`, by random bits. */
static void flip_few(struct line *line, uint64_t *seed)
{
    for (size_t i = 0; i < 8; i++)
        for (unsigned k = 0; k < 8; k++)
            line->word[i] ^= UINT64_C(1) << random_word(seed) % 64;
}

static void flip_a_chip(struct line *line, uint64_t *seed)
{
    for (size_t i = 0; i < 8; i++)
        line->word[i] ^= random_word(seed) & UINT64_C(0x00ff000000ff0000);
}

static void flip_half_the_lanes(struct line *line, uint64_t *seed)
{
    for (size_t i = 0; i < 8; i++)
        line->word[i] ^= random_word(seed) & UINT64_C(0x0000ffff0000ffff);
}

static void garble_five_words(struct line *line, uint64_t *seed)
{
    for (size_t i = 0; i < 5; i++)
        line->word[i] = random_word(seed);
}

static void float_the_bus(struct line *line, uint64_t *seed)
{
    uint64_t word = random_word(seed);

    for (size_t i = 0; i < 8; i++)
        line->word[i] = word;
}

static void repeat_a_byte(struct line *line, uint64_t *seed)
{
    for (size_t i = 0; i < 8; i++)
        line->word[i] = (random_word(seed) & 0xff) * UINT64_C(0x0101010101010101);
}

static void shift_beats(struct line *line, uint64_t *seed)
{
    struct line was = *line;
    size_t by = 1 + random_word(seed) % 7;

    for (size_t i = 0; i < 8; i++)
        line->word[i] = was.word[(i + by) % 8];
}

static void turn_all_over(struct line *line, uint64_t *seed)
{
    for (size_t i = 0; i < 8; i++)
        line->word[i] = ~line->word[i] ^ UINT64_C(1) << random_word(seed) % 64;
}

static void clear_all(struct line *line, uint64_t *seed)
{
    memset(line, 0, sizeof(*line));
    line->word[random_word(seed) % 8] = random_word(seed);
}

TEST(knows_faults)
{
    static void (*const faults[])(struct line *, uint64_t *) = {
        flip_few,      flip_a_chip, flip_half_the_lanes, garble_five_words, float_the_bus,
        repeat_a_byte, shift_beats, turn_all_over,       clear_all,
    };
    struct written written = all_written();
    uint64_t seed = 2;
    struct data data;

    for (uint32_t n = 0; data_number(n, &data); n++) {
        for (unsigned i = 0; i < 200; i++) {
            for (size_t k = 0; k < sizeof(faults) / sizeof(faults[0]); k++) {
                struct line expected = line_of(&data, LINE_AT, i % 2), found = expected;

                faults[k](&found, &seed);
                if (looks_external(&written, LINE_AT, &expected, &found))
                    fail_msg("fault %zu on data %u", k, n);
            }
        }
    }
}

/* One real fault that changes much, and still leaves a lane, or two words, alone. */
TEST(wants_it_whole)
{
    struct written written = all_written();
    struct data data = data_background(0);
    struct line expected = line_of(&data, LINE_AT, false), found;
    uint64_t seed = 3;

    found = random_line(&seed);
    found.word[0] = found.word[1] = 0;
    assert_true(looks_external(&written, LINE_AT, &expected, &found));
    found.word[2] = 0;
    assert_false(looks_external(&written, LINE_AT, &expected, &found));
    found = random_line(&seed);
    for (size_t i = 0; i < 4; i++)
        found.word[i] &= ~UINT64_C(0xff00);
    assert_true(looks_external(&written, LINE_AT, &expected, &found));
    found.word[4] &= ~UINT64_C(0xff00);
    assert_false(looks_external(&written, LINE_AT, &expected, &found));
}

/* One of the six words that have to be unrelated differs in that many bits. */
TEST(twelve_to_52_bits_differ)
{
    static const struct {
        unsigned n_bits;
        bool expected;
    } cases[] = { { 11, false }, { 12, true }, { 52, true }, { 53, false } };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct written written = { .memory_end = END };
        uint64_t seed = 3;
        struct line expected = random_line(&seed), found = random_line(&seed);

        found.word[0] = expected.word[0];
        found.word[1] = expected.word[1];
        found.word[2] = expected.word[2] ^ ((UINT64_C(1) << cases[i].n_bits) - 1);
        assert_int_equal(looks_external(&written, LINE_AT, &expected, &found), cases[i].expected);
    }
}

TEST(forgets_old_data)
{
    struct written written = { .memory_end = END };
    struct data address = data_address(77), background = data_background(1);
    struct line found = line_of(&address, LINE_AT + 64, true);
    struct line expected = line_of(&background, LINE_AT, false);

    written_add(&written, &address);
    for (unsigned i = 1; i < WRITTEN_MAX; i++) {
        struct data random = data_random(i);

        written_add(&written, &random);
        written_add(&written, &background); /* needs no place */
    }
    assert_false(looks_external(&written, LINE_AT, &expected, &found));
    written.memory_end = LINE_AT + 64; /* there is no such line */
    assert_true(looks_external(&written, LINE_AT, &expected, &found));
    written.memory_end = END;
    address = data_address(78);
    written_add(&written, &address);
    assert_true(looks_external(&written, LINE_AT, &expected, &found));
}
