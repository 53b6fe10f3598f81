// SPDX-License-Identifier: MIT
#include "kind/kind_spread.h"

#include "tests/unit/kind/board.h"
#include "tests/unit/unit.h"

#define WORDS_MAX 16

#define ZONE (BOARD_BYTES / KIND_SPREAD_ZONES)

static bool tested[KIND_SPREAD_ZONES];
static double bytes[KIND_SPREAD_ZONES]; /* that the CPU has read and written */
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

/* All zones, of that size, are tested, and the CPU has tested some of each. */
static double weigh_zones(const struct kind_board *board, uint64_t zone_bytes, size_t n)
{
    for (size_t z = 0; z < KIND_SPREAD_ZONES; z++) {
        tested[z] = true;
        bytes[z] = 1e9;
    }
    kind_spread_make(board, zone_bytes, tested, word, n, &spread);
    return kind_spread_for_memory(&spread, bytes, n);
}

static double weigh(const struct kind_board *board, size_t n)
{
    return weigh_zones(board, ZONE, n);
}

static double mean_part(unsigned level)
{
    double sum = 0;

    for (size_t z = 0; z < KIND_SPREAD_ZONES; z++)
        sum += spread.part[level][z];
    return sum / KIND_SPREAD_ZONES;
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

/* Neither the first place nor lane 0 is special. */
TEST(each_place_and_lane_is_as_good_as_another)
{
    static const uint64_t last[] = { BOARD_BITS };
    double ratio;

    make_words(3, places, 1, 1);
    ratio = weigh(&board_of_map, 3);
    make_words(3, last, 1, 1);
    for (size_t i = 0; i < 3; i++)
        word[i].bits = UINT64_C(0x81) << 56;
    assert_in_range(100 * weigh(&board_of_map, 3) / ratio, 75, 133);
    assert_in_range(mean_part(KIND_LEVEL_RANK) * 1000, 100, 150);
    assert_in_range(mean_part(KIND_LEVEL_CHANNEL) * 1000, 450, 550);
    assert_true(spread.is_one_lane);
    word[2].bits = UINT64_C(1) << 48;
    (void)weigh(&board_of_map, 3);
    assert_false(spread.is_one_lane);
}

/* Addresses without a place are no part of memory: most zones have no others, one has half. */
TEST(holes_count_nothing)
{
    struct dram_map map = board_map;

    make_words(3, places, 1, 1);
    for (size_t i = 0; i < 3; i++)
        word[i].addr %= BOARD_BYTES / 64;
    map.zone[0].end = BOARD_BYTES / 32; /* one zone, and half of the next */
    (void)weigh_zones(&(struct kind_board){ &map, UINT64_MAX, NULL, 64 }, BOARD_BYTES / 48, 3);
    assert_in_range(spread.part[KIND_LEVEL_CHANNEL][0] * 1000, 350, 650);
    assert_in_range(spread.part[KIND_LEVEL_CHANNEL][1] * 1000, 300, 700);
    assert_int_equal(spread.part[KIND_LEVEL_CHANNEL][2] * 1000, 0);
    assert_int_equal(spread.of[KIND_LEVEL_RANK], 8);
}

/* Modules that are not interleaved: a CPU that has tested only one of them makes no faults
 * elsewhere. */
TEST(a_cpu_has_faults_where_it_reads_and_writes)
{
    struct dram_map map = board_map;
    double all, own;

    map.zone[0].function[0] = BOARD_BYTES / 2;
    map.zone[0].removed = BOARD_BYTES / 2;
    make_words(6, places, 1, 1);
    all = weigh(&(struct kind_board){ &map, UINT64_MAX, NULL, 64 }, 6);
    for (size_t z = KIND_SPREAD_ZONES / 2; z < KIND_SPREAD_ZONES; z++)
        bytes[z] = 0;
    own = kind_spread_for_memory(&spread, bytes, 6);
    assert_in_range(1000 * spread.part[KIND_LEVEL_CHANNEL][0], 1000, 1000);
    assert_in_range(all / own, 24, 40); /* 2 to the fifth: a channel less */
    for (size_t z = 0; z < KIND_SPREAD_ZONES; z++)
        bytes[z] = 0;
    assert_true(kind_spread_for_memory(&spread, bytes, 6) > all); /* it has tested none of it */
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
    assert_true(mean_part(KIND_LEVEL_CHANNEL) > 0.9);
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

    assert_true(weigh(&(struct kind_board){ .channels = &given }, 4) > 2);
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
    memset(tested, 0, sizeof(tested));
    kind_spread_make(&board_of_map, ZONE, tested, word, 2, &spread);
    assert_true(kind_spread_for_memory(&spread, bytes, 2) == 1);
    assert_true(weigh_zones(&board_of_map, 0, 2) == 1);
}
