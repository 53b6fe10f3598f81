// SPDX-License-Identifier: MIT
#include "external/external.c" /* what a fault looks like behind encryption */

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

#define LINE_AT UINT64_C(0x12345680)
#define END     (UINT64_C(1) << 36)

static uint64_t seed;

static uint64_t random_word(void)
{
    seed += SPLITMIX_STEP;
    return splitmix_mix(seed);
}

static struct line random_line(void)
{
    struct line line;

    for (size_t i = 0; i < 8; i++)
        line.word[i] = random_word();
    return line;
}

static struct line line_of(const struct data *data, uint64_t phys, bool complement)
{
    struct line line;

    for (size_t i = 0; i < 8; i++)
        line.word[i] = data_word(data, phys + 8 * i) ^ (complement ? ~UINT64_C(0) : 0);
    return line;
}

static struct data data_number(uint32_t n)
{
    if (n < DATA_BACKGROUNDS_LINE)
        return data_background(n);
    if ((n -= DATA_BACKGROUNDS_LINE) < DATA_SEQUENCE_ROUNDS)
        return data_sequence(n);
    return (n -= DATA_SEQUENCE_ROUNDS) ? data_random(77) : data_address(78);
}

#define N_DATA (DATA_BACKGROUNDS_LINE + DATA_SEQUENCE_ROUNDS + 2)

static struct written all_written(void)
{
    struct written written = { .memory_end = END };

    for (uint32_t n = 0; n < N_DATA; n++) {
        struct data data = data_number(n);

        written_add(&written, &data);
    }
    return written;
}

/* The blocks in a set of four. */
static void garble(struct line *line, unsigned blocks)
{
    for (size_t i = 0; i < 8; i++) {
        if (blocks >> i / 2 & 1)
            line->word[i] = random_word();
    }
}

static int begin(void **state)
{
    seed = 3;
    return 0;
}

/* In one of 10,000 lines a word is near one of the tests'. */
TEST(knows_garbled_blocks, begin)
{
    struct written written = all_written();
    unsigned n = 0, n_missed = 0;

    for (uint32_t d = 0; d < N_DATA; d++) {
        struct data data = data_number(d);

        for (unsigned blocks = 1; blocks < 16; blocks++) {
            for (unsigned i = 0; i < 40; i++, n++) {
                struct line expected = line_of(&data, LINE_AT, i % 2), found = expected;

                garble(&found, blocks);
                n_missed += garble_of(&written, LINE_AT, &expected, &found) !=
                            (blocks == 15 ? GARBLE_WHOLE : GARBLE_PART);
            }
        }
    }
    assert_in_range(n_missed, 0, n / 1000);
}

static void flip_a_bit(struct line *line)
{
    line->word[random_word() % 8] ^= UINT64_C(1) << random_word() % 64;
}

static void flip_a_chip(struct line *line)
{
    for (size_t i = 0; i < 8; i++)
        line->word[i] ^= random_word() & UINT64_C(0xff00);
}

static void garble_a_word(struct line *line)
{
    line->word[random_word() % 8] = random_word();
}

static void garble_across_blocks(struct line *line)
{
    line->word[1] = random_word();
    line->word[2] = random_word();
}

static void repeat_a_word(struct line *line)
{
    line->word[4] = line->word[5] = random_word();
}

static void clear_a_block(struct line *line)
{
    line->word[2] ^= UINT64_C(0xf0f0);
    line->word[3] = ~line->word[3];
}

/* What a controller writes into a ring: little of it is not zero. */
static void write_a_descriptor(struct line *line)
{
    line->word[4] = UINT64_C(0x7f34a000);
    line->word[5] = UINT64_C(0x0100800100000000);
}

static void stale_data(struct line *line)
{
    line->word[6] = UINT64_C(0x3333333333333333);
    line->word[7] = ~UINT64_C(0x3333333333333333);
}

static void half_a_line_of_another_address(struct line *line)
{
    struct data data = data_address(78);
    struct line other = line_of(&data, LINE_AT + 0x40000, false);

    memcpy(&line->word[4], &other.word[4], 32);
}

/* A block of garbage does not hide that one bit of another is wrong, whichever bit it is. */
TEST(a_wrong_bit_beside_a_garbled_block, begin)
{
    struct written written = all_written();
    struct data data = data_address(78);

    for (unsigned bit = 0; bit < 512; bit++) {
        struct line expected = line_of(&data, LINE_AT, false), found = expected;

        garble(&found, 1u << (bit / 128 + 1) % 4);
        assert_int_equal(garble_of(&written, LINE_AT, &expected, &found), GARBLE_PART);
        found.word[bit / 64] ^= UINT64_C(1) << bit % 64;
        assert_int_equal(garble_of(&written, LINE_AT, &expected, &found), GARBLE_NOT);
    }
}

TEST(knows_what_is_not_garbled, begin)
{
    static void (*const faults[])(struct line *) = {
        flip_a_bit,           flip_a_chip,   garble_a_word,
        garble_across_blocks, repeat_a_word, clear_a_block,
        write_a_descriptor,   stale_data,    half_a_line_of_another_address,
    };
    struct written written = all_written();

    for (uint32_t d = 0; d < N_DATA; d++) {
        struct data data = data_number(d);

        for (unsigned i = 0; i < 40; i++) {
            for (size_t k = 0; k < COUNT(faults); k++) {
                struct line expected = line_of(&data, LINE_AT, i % 2), found = expected;

                faults[k](&found);
                if (memcmp(&expected, &found, sizeof(found)) != 0 &&
                    garble_of(&written, LINE_AT, &expected, &found) != GARBLE_NOT)
                    fail_msg("fault %zu on data %u", k, d);
            }
        }
    }
}

TEST(knows_what_cannot_be_random, begin)
{
    static const char *const texts[] = {
        "Where memory is encrypted, a fault makes all 16 bytes of a block",
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-",
    };
    struct line line;

    for (unsigned i = 0; i < 100000; i++) {
        line = random_line();
        assert_true(garble_is_random(&line));
    }
    for (size_t i = 0; i < COUNT(texts); i++) {
        memcpy(&line, texts[i], sizeof(line));
        assert_false(garble_is_random(&line));
    }
    for (size_t i = 0; i < 8; i++) /* pointers */
        line.word[i] = UINT64_C(0x00007f0000000000) | (random_word() & UINT64_C(0xfffffffff0));
    assert_false(garble_is_random(&line));
    for (size_t i = 0; i < 8; i++) /* sounds, pictures: bytes near each other */
        line.word[i] =
            (random_word() & UINT64_C(0x0f0f0f0f0f0f0f0f)) + UINT64_C(0x7878787878787878);
    assert_false(garble_is_random(&line));
    for (size_t i = 0; i < 8; i++)
        line.word[i] = random_word() | UINT64_C(0x1010101010101010);
    assert_false(garble_is_random(&line));
}

static const struct {
    unsigned part, whole_right, whole_held, others;
    bool seen;
} looks[] = {
    { 0, 0, 0, 0, false },
    { GARBLE_LINES - 1, 0, 0, 0, false },
    { GARBLE_LINES, 0, 0, 0, true },
    { 0, GARBLE_LINES, 0, 0, true },
    { 1, GARBLE_LINES - 1, 0, 0, true },
    { 0, 0, 1000, 0, false }, /* a device */
    { GARBLE_LINES - 1, 0, 1000, 0, false },
    { GARBLE_LINES, 0, 0, 1, false },
    { GARBLE_FOR_OTHERS, 0, 0, 1, true },
    { 2 * GARBLE_FOR_OTHERS - 1, 0, 0, 2, false },
    { 2 * GARBLE_FOR_OTHERS, 0, 0, 2, true },
};

TEST(counts_lines, begin)
{
    for (size_t i = 0; i < COUNT(looks); i++) {
        struct garble_look look = { 0 };

        for (unsigned n = 0; n < looks[i].others; n++)
            garble_look_add(&look, GARBLE_NOT, n % 2);
        for (unsigned n = 0; n < looks[i].part; n++)
            garble_look_add(&look, GARBLE_PART, n % 2);
        for (unsigned n = 0; n < looks[i].whole_right; n++)
            garble_look_add(&look, GARBLE_WHOLE, true);
        for (unsigned n = 0; n < looks[i].whole_held; n++)
            garble_look_add(&look, GARBLE_WHOLE, false);
        if (garble_look_is_seen(&look) != looks[i].seen)
            fail_msg("look %zu", i);
        assert_int_equal(garble_look_wants(&look), !looks[i].seen);
        for (unsigned n = 0; n < GARBLE_LINES_ASKED; n++)
            garble_look_add(&look, GARBLE_NOT, false);
        assert_int_equal(garble_look_is_seen(&look), looks[i].seen); /* it stays */
        assert_false(garble_look_wants(&look));
    }
}
