// SPDX-License-Identifier: MIT
#include "kind/kind_spread.h"

#include "tests/unit/kind/board.h"
#include "tests/unit/unit.h"

#define WORDS_MAX 16

static const struct span all = { 0, BOARD_BYTES };
static struct kind_spread_word word[WORDS_MAX];
static struct kind_spread spread;

/* Words far from each other; the n-th has at[n % n_at] in the bits that say the place, and its
 * wrong bit in lane n % lanes. */
static void make_words(size_t n, const uint64_t *at, size_t n_at, unsigned lanes)
{
    assert_in_range(n, 0, WORDS_MAX);
    for (size_t i = 0; i < n; i++)
        word[i] = (struct kind_spread_word){ (i * 7919 << 16) | at[i % n_at],
                                             UINT64_C(1) << 8 * (i % lanes) };
}

#define RANKS_OF_ONE 2
static const uint64_t places[] = {
    0, BOARD_RANK, BOARD_MODULE, BOARD_MODULE | BOARD_RANK, BOARD_CHANNEL,
};

static double weigh(const struct kind_board *board, size_t n)
{
    kind_spread_make(board, &all, 1, word, n, &spread);
    return kind_spread_for_memory(&spread, n);
}

TEST(counts_places)
{
    make_words(10, places, COUNT(places), 1);
    (void)weigh(&board_of_map, 10);
    assert_int_equal(spread.n_levels, KIND_LEVELS);
    assert_int_equal(spread.n[KIND_LEVEL_CHANNEL], 2);
    assert_int_equal(spread.n[KIND_LEVEL_MODULE], 3);
    assert_int_equal(spread.n[KIND_LEVEL_RANK], 5);
    assert_int_equal(spread.of[KIND_LEVEL_CHANNEL], 2);
    assert_int_equal(spread.of[KIND_LEVEL_MODULE], 4);
    assert_int_equal(spread.of[KIND_LEVEL_RANK], 8);
    assert_true(spread.is_one_lane);
}

/*
 * Of memory's faults .45 are of a rank and a lane, .05 each of a module, a channel or anything and
 * a lane, .1, .08, .07 of a rank, a module, a channel, .15 of nothing; of a CPU's .5 of a lane.
 * Each is as likely as the places that it leaves out are many: worked out by hand, but for the
 * parts of memory, which are known by samples.
 */
TEST(weighs_places_and_lanes)
{
    static const struct {
        size_t n, n_places;
        unsigned lanes;
        double ratio;
    } rows[] = {
        { 1, 1, 1, 1 }, /* one word says nothing */
        { 2, 1, 1, (28.8 + 0.8 + 1.6 + 0.32 + 0.8 + 0.14 + 0.4 + 0.15) / 4.5 },
        { 3, 1, 1, (1843.2 + 6.4 + 51.2 + 1.28 + 12.8 + 0.28 + 3.2 + 0.15) / 32.5 },
        { 3, 1, 2, (6.4 + 1.28 + 0.28 + 0.15) / 0.5 }, /* one rank, several lanes */
        { 3, RANKS_OF_ONE, 1, (51.2 + 1.28 + 12.8 + 0.28 + 3.2 + 0.15) / 32.5 },
        { 4, 3, 2, (0.56 + 0.15) / 0.5 },     /* modules of a channel */
        { 5, 5, 1, (204.8 + 0.15) / 2048.5 }, /* all over, one lane */
        { 5, 5, 2, 0.15 / 0.5 },              /* all over */
        { 16, 1, 1, 1e6 },                    /* no more than this */
        { 16, 5, 1, 0.1 },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        double ratio;

        make_words(rows[i].n, places, rows[i].n_places, rows[i].lanes);
        ratio = weigh(&board_of_map, rows[i].n);
        if (ratio < 0.75 * rows[i].ratio || ratio > 1.33 * rows[i].ratio)
            fail_msg("row %zu: %g, not %g", i, ratio, rows[i].ratio);
    }
}

/* Nearly all of memory is in one channel: faults of a CPU are, too. */
TEST(a_large_place_tells_little)
{
    struct dram_map map = board_map;

    map.zone[1] = map.zone[0];
    map.zone[0].end = BOARD_BYTES / 16;
    map.zone[1].start = map.zone[0].end;
    map.zone[1].n_functions = 0;
    map.zone[1].removed = 0;
    map.n_zones = 2;
    map.channel[0].n_selects = map.channel[1].n_selects = 1;
    map.channel[0].select[0].mask = map.channel[1].select[0].mask = 0;
    map.channel[0].select[0].value = map.channel[1].select[0].value = 0;
    make_words(3, places, 1, 1);
    assert_in_range(weigh(&(struct kind_board){ &map, UINT64_MAX, NULL, 64 }, 3) * 100, 100, 130);
    assert_true(spread.part[KIND_LEVEL_CHANNEL] > 0.9);
}

TEST(knows_as_much_as_the_map)
{
    const struct kind_channels given = { .n_bits = 1, .bits = { BOARD_CHANNEL }, .slots = "" };
    struct dram_map no_ranks = board_map;

    make_words(4, places, COUNT(places), 1);
    assert_true(weigh(&(struct kind_board){ .bus_bits = 64 }, 4) == 1);
    assert_int_equal(spread.n_levels, 0);
    assert_true(weigh(&(struct kind_board){ &board_map, word[3].addr, NULL, 64 }, 4) == 1);
    assert_int_equal(spread.n_levels, 0); /* one word is above what was confirmed */

    (void)weigh(&(struct kind_board){ .channels = &given }, 4);
    assert_int_equal(spread.n_levels, KIND_LEVEL_CHANNEL + 1);
    assert_int_equal(spread.n[KIND_LEVEL_CHANNEL], 1);
    assert_int_equal(spread.of[KIND_LEVEL_CHANNEL], 2);

    for (unsigned i = 0; i < 4; i++)
        no_ranks.channel[i / 2].dimm[i % 2].n_banks = 0;
    (void)weigh(&(struct kind_board){ &no_ranks, UINT64_MAX, NULL, 64 }, 4);
    assert_int_equal(spread.n_levels, KIND_LEVEL_MODULE + 1);
    assert_int_equal(spread.of[KIND_LEVEL_MODULE], 4);

    for (unsigned i = 0; i < 8; i++)
        no_ranks.channel[i / 4].select[i % 4].number = DRAM_DIMM_UNKNOWN << 2;
    (void)weigh(&(struct kind_board){ &no_ranks, UINT64_MAX, NULL, 64 }, 4);
    assert_int_equal(spread.n_levels, KIND_LEVEL_CHANNEL + 1);
}

TEST(one_channel_is_no_choice)
{
    const struct kind_channels given = { .n_bits = 1, .bits = { UINT64_C(1) << 40 }, .slots = "" };

    make_words(4, places, COUNT(places), 1);
    assert_true(weigh(&(struct kind_board){ .channels = &given }, 4) == 1);
}

/* Of DDR5 the pins of a word's halves are the same. */
TEST(lanes_are_of_the_bus)
{
    make_words(2, places, 1, 1);
    word[1].bits = UINT64_C(1) << 35;
    (void)weigh(&board_of_map, 2);
    assert_false(spread.is_one_lane);
    (void)weigh(&(struct kind_board){ &board_map, UINT64_MAX, NULL, 32 }, 2);
    assert_true(spread.is_one_lane);
    word[1].bits |= UINT64_C(1) << 40;
    (void)weigh(&(struct kind_board){ &board_map, UINT64_MAX, NULL, 32 }, 2);
    assert_false(spread.is_one_lane);
    word[0].bits = word[1].bits = 0x8001; /* two lanes are not one, though both words have them */
    (void)weigh(&board_of_map, 2);
    assert_false(spread.is_one_lane);
}

TEST(no_words_and_nothing_tested)
{
    assert_true(weigh(&board_of_map, 0) == 1);
    make_words(2, places, 1, 1);
    kind_spread_make(&board_of_map, NULL, 0, word, 2, &spread);
    assert_true(kind_spread_for_memory(&spread, 2) == 1);
}
