// SPDX-License-Identifier: MIT
#include "rows/row_agreement.h"

#include "lib/gf2.h"
#include "lib/splitmix.h"
#include "rows/row_search.h"
#include "tests/host/row_machine.h"
#include "tests/unit/unit.h"

static const char *reason;
static uint64_t below;

/*
 * Two channels by 8 ^ 9 ^ 12 ^ 13 ^ 18 ^ 19, of two modules of 4 GiB by bit 17, with four banks. As
 * on AMD's, addresses above 4 GiB do without a hole of 1 GiB.
 */
static struct dram_map decoded(void)
{
    static const struct dram_geometry geometry = {
        .n_banks = 2,
        .bank = { 0x22000, 0x44000 },
        .n_rows = 14,
        .row = { 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 },
        .n_columns = 10,
        .column = { 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 },
    };
    struct dram_map map = {
        .n_moves = 1,
        .move = { { 4 * GIB, 17 * GIB, GIB } },
        .n_zones = 1,
        .zone = { { .end = 16 * GIB,
                    .n_functions = 1,
                    .function = { 0xc3300 },
                    .channel = { 0, 1 },
                    .removed = 0x100 } },
        .n_channels = 2,
    };

    for (unsigned i = 0; i < 2; i++) {
        map.channel[i] = (struct dram_channel){
            .n_selects = 2,
            .select = { { .end = 8 * GIB, .mask = 0x10000 },
                        { .end = 8 * GIB, .mask = 0x10000, .value = 0x10000, .number = 4 } },
            .dimm = { geometry, geometry },
        };
    }
    return map;
}

/* What timing would show: sums of the functions. */
static struct row_map timed(const struct dram_map *map, uint64_t *random)
{
    struct row_map measured = { .hole = GIB, .bits = (UINT64_C(1) << 34) - 64 };
    struct dram_functions f;
    struct gf2_basis basis = { 0 };

    dram_map_functions(map, &map->zone[0], &f);
    while (basis.rank < f.n) {
        uint64_t sum = 0, which = splitmix_next(random);

        for (unsigned i = 0; i < f.n; i++)
            sum ^= which >> i & 1 ? f.function[i] : 0;
        if (gf2_add(&basis, sum))
            measured.function[measured.n_functions++] = sum;
    }
    return measured;
}

static enum row_agreement compare(const struct dram_map *map, const struct row_map *measured)
{
    return row_agreement_of(map, measured, &below, &reason);
}

TEST(a_machine_as_its_registers_say)
{
    struct dram_map map = decoded();

    for (uint64_t random = 1; random < 100; random++) {
        uint64_t seed = random;
        struct row_map measured = timed(&map, &seed);

        assert_int_equal(compare(&map, &measured), ROWS_AGREE);
        assert_int_equal(below, 16 * GIB);
        assert_null(reason);
    }
}

/* One bit of a function that chooses the module is wrong; all such bits. */
TEST(each_wrong_bit_is_noticed)
{
    struct dram_map map = decoded();
    uint64_t random = 1;
    struct row_map measured = timed(&map, &random);

    for (unsigned bit = 6; bit < 34; bit++) {
        struct dram_map wrong = map;

        if (bit == 8 || bit == 17) /* the removed bit; the module's function, so another sum */
            continue;
        wrong.zone[0].function[0] ^= UINT64_C(1) << bit;
        assert_int_equal(compare(&wrong, &measured), ROWS_CONTRADICT);
        assert_non_null(reason);
    }
}

/* Of all masks that a channel's function could have, those are taken for right that timing cannot
 * tell from it: sums with a bank's. */
TEST(share_of_wrong_masks_that_is_noticed)
{
    struct dram_map map = decoded();
    uint64_t random = 1;
    struct row_map measured = timed(&map, &random);
    unsigned noticed = 0;

    for (unsigned i = 0; i < 1000; i++) {
        struct dram_map wrong = map;

        wrong.zone[0].function[0] = (splitmix_next(&random) & 0xfffc0) | 0x100;
        noticed += compare(&wrong, &measured) == ROWS_CONTRADICT;
    }
    assert_in_range(noticed, 990, 1000);
}

TEST(another_number_of_banks)
{
    struct dram_map map = decoded();
    uint64_t random = 1;
    struct row_map measured = timed(&map, &random);

    measured.function[measured.n_functions++] = UINT64_C(1) << 33 | 1 << 21;
    assert_int_equal(compare(&map, &measured), ROWS_CONTRADICT);
    assert_string_equal(reason, "timing shows another number of banks");

    map.channel[0].dimm[1].n_banks = 0; /* the registers do not say it */
    map.channel[0].dimm[0].n_banks = 0;
    map.channel[1].dimm[0].n_banks = map.channel[1].dimm[1].n_banks = 0;
    assert_int_equal(compare(&map, &measured), ROWS_AGREE);
}

TEST(another_hole)
{
    struct dram_map map = decoded();
    uint64_t random = 1;
    struct row_map measured = timed(&map, &random);

    measured.hole = 2 * GIB;
    assert_int_equal(compare(&map, &measured), ROWS_CONTRADICT);
    assert_string_equal(reason, "the hole below 4 GiB has another size than timing shows");
    measured.bits = (UINT64_C(1) << 32) - 64; /* no memory above */
    assert_int_equal(compare(&map, &measured), ROWS_AGREE);
    assert_int_equal(below, 4 * GIB);
}

/* Channels are selected by addresses as they are, although those above 4 GiB do without the hole in
 * the channel: as some of AMD's do. */
static struct dram_map with_gap(uint64_t function)
{
    struct dram_map map = decoded();

    map.n_moves = 0;
    map.n_zones = 2;
    map.zone[0].function[0] = function;
    map.zone[1] = map.zone[0];
    map.zone[0].end = 3 * GIB;
    map.zone[1].start = 4 * GIB;
    map.zone[1].end = 17 * GIB;
    map.zone[1].gap = GIB;
    map.zone[1].subtract = GIB / 2;
    return map;
}

TEST(a_hole_that_the_channel_counts)
{
    static const uint64_t functions[] = { 0xc3300, 0xc3300 | GIB };
    uint64_t random = 1;

    for (unsigned i = 0; i < 2; i++) {
        struct dram_map map = with_gap(functions[i]), wrong = with_gap(functions[i] ^ 0x400);
        struct row_map measured = timed(&map, &random);

        assert_int_equal(compare(&map, &measured), ROWS_AGREE);
        assert_null(reason);
        assert_int_equal(below, 17 * GIB);
        assert_int_equal(compare(&wrong, &measured), ROWS_CONTRADICT);
        measured.hole = 2 * GIB;
        assert_int_equal(compare(&map, &measured), ROWS_CONTRADICT);
        assert_string_equal(reason, "the hole below 4 GiB has another size than timing shows");
    }
}

/* The rest of the larger channel is alone: its banks are those of the address less 8 GiB. */
TEST(a_zone_by_itself)
{
    struct dram_map map = decoded(), wrong;
    uint64_t random = 1;
    struct row_map measured;

    map.n_moves = 0;
    map.zone[map.n_zones++] = (struct dram_zone){
        .start = 16 * GIB, .end = 20 * GIB, .channel = { 1 }, .subtract = 8 * GIB
    };
    map.channel[1].select[0].end = map.channel[1].select[1].end = 12 * GIB;
    assert_true(dram_map_zones_differ(&map));
    measured = timed(&map, &random);
    assert_int_equal(row_agreement_of_zone(&map, &map.zone[0], &measured, &below, &reason),
                     ROWS_AGREE);
    assert_int_equal(row_agreement_of_zone(&map, &map.zone[1], &measured, &below, &reason),
                     ROWS_CONTRADICT); /* they are the first zone's functions */
    measured.n_functions = 0;
    for (unsigned i = 0; i < 3; i++)
        measured.function[measured.n_functions++] = (uint64_t[]){ 0x10000, 0x22000, 0x44000 }[i];
    assert_int_equal(row_agreement_of_zone(&map, &map.zone[1], &measured, &below, &reason),
                     ROWS_AGREE);
    assert_int_equal(below, 20 * GIB);
    wrong = map;
    wrong.zone[1].function[0] = 0x400;
    wrong.zone[1].n_functions = 1;
    assert_int_equal(row_agreement_of_zone(&wrong, &wrong.zone[1], &measured, &below, &reason),
                     ROWS_CONTRADICT);
    measured.n_functions = 0; /* no banks */
    assert_int_equal(row_agreement_of_zone(&map, &map.zone[1], &measured, &below, &reason),
                     ROWS_CONTRADICT);
}

TEST(zones_that_are_alike)
{
    struct dram_map map = with_gap(0xc3300);

    assert_false(dram_map_zones_differ(&map));
    assert_int_equal(dram_zone_base(&map.zone[1]), GIB);
}

/* Then timing shows no functions above the hole, and what it shows is below. */
TEST(a_hole_whose_carries_select_the_channel)
{
    struct dram_map map = with_gap(0xc3300 | 4 * GIB), low = with_gap(0xc3300);
    uint64_t random = 1;
    struct row_map measured = timed(&low, &random);

    map.zone[0].function[0] = 0xc3300;
    assert_int_equal(compare(&map, &measured), ROWS_UNCOMPARED);
    assert_string_equal(reason, "timing shows only XORs of address bits, and not every module is "
                                "chosen by such");
}

/* Map 12 of those published: what is counted at which controller of Alder Lake. */
static const struct row_map alder_lake = {
    .n_functions = 6,
    .function = { 0x82600 ^ 0x5400, 0x5400, 0x148088000, 0x110000, 0x4b2220000 ^ 0x82600,
                  0x904c40000 },
};

static unsigned count_lines(struct counted_line *line, unsigned n, bool opposite)
{
    uint64_t random = 1;

    for (unsigned i = 0; i < n; i++) {
        line[i].dram = splitmix_next(&random) >> 28 & ~UINT64_C(63);
        line[i].value = gf2_parity(line[i].dram & 0x82600) ^ opposite;
    }
    return n;
}

TEST(a_function_by_which_is_counted)
{
    struct counted_line line[64];

    for (unsigned opposite = 0; opposite < 2; opposite++) {
        bool is_opposite = !opposite;
        unsigned n = count_lines(line, 64, opposite);

        assert_int_equal(row_agreement_find(&alder_lake, line, n, &is_opposite), 0x82600);
        assert_int_equal(is_opposite, opposite);
        line[9].value ^= 1; /* one that was counted wrongly */
        assert_int_equal(row_agreement_find(&alder_lake, line, n, &is_opposite), 0);
    }
    count_lines(line, 6, false); /* too few: there are several */
    assert_int_equal(row_agreement_find(&alder_lake, line, 6, &(bool){ 0 }), 0);
    for (unsigned i = 0; i < 64; i++) /* one of them alone: an odd number are not in it */
        line[i] = (struct counted_line){ splitmix_mix(i), gf2_parity(splitmix_mix(i) & 0x110000) };
    assert_int_equal(row_agreement_find(&alder_lake, line, 64, &(bool){ 0 }), 0x110000);
    for (unsigned i = 0; i < 64; i++) /* none of those that timing shows */
        line[i] = (struct counted_line){ splitmix_mix(i), gf2_parity(splitmix_mix(i) & 0x82200) };
    assert_int_equal(row_agreement_find(&alder_lake, line, 64, &(bool){ 0 }), 0);
    for (unsigned i = 0; i < 64; i++) /* all at one: no function */
        line[i].value = true;
    assert_int_equal(row_agreement_find(&alder_lake, line, 64, &(bool){ 0 }), 0);
}

/* One in three: no XOR of address bits, so timing cannot confirm the channel. */
TEST(channels_by_thirds)
{
    struct dram_map map = decoded();
    uint64_t random = 1;
    struct row_map measured = timed(&map, &random);

    map.zone[0] = (struct dram_zone){ .end = 16 * GIB, .thirds = 8, .channel = { 0, 1, 1 } };
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned d = 0; d < 2; d++)
            map.channel[i].dimm[d].n_banks = 0;
    }
    assert_int_equal(compare(&map, &measured), ROWS_UNCOMPARED);
    assert_non_null(reason);
}

/* A zone of one channel, and another of the same addresses for the rest. */
TEST(zones_that_share_addresses)
{
    struct dram_map map = decoded();
    uint64_t random = 1;
    struct row_map measured = timed(&map, &random);

    map.zone[map.n_zones++] = map.zone[0];
    map.zone[0].channel[1] = DRAM_ELSEWHERE;
    map.zone[1].channel[0] = DRAM_ELSEWHERE;
    assert_int_equal(compare(&map, &measured), ROWS_AGREE);
}

/* In which not even a pair was timed. */
TEST(nothing_to_compare)
{
    struct dram_map map = decoded();
    struct row_map measured = { .bits = 0 };

    assert_int_equal(compare(&map, &measured), ROWS_UNCOMPARED);
    assert_int_equal(compare(&(struct dram_map){ 0 }, &(struct row_map){ .bits = 0xffc0 }),
                     ROWS_UNCOMPARED);
}

/* One channel of 4 GiB: banks by 6 ^ 13, 14 ^ 18, 15 ^ 19 and 17 ^ 21. */
static const struct dram_geometry one_channel = {
    .n_banks = 4,
    .bank = { 0x2040, 0x44000, 0x88000, 0x220000 },
    .n_rows = 14,
    .row = { 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 },
    .n_columns = 10,
    .column = { 3, 4, 5, 7, 8, 9, 10, 11, 12, 13 },
};

static struct dram_map map_of(struct dram_geometry geometry)
{
    return (struct dram_map){
        .n_zones = 1,
        .zone = { { .end = 4 * GIB } },
        .n_channels = 1,
        .channel = { { .n_selects = 1, .select = { { .end = 4 * GIB } }, .dimm = { geometry } } },
    };
}

/* The functions and rows of one_channel, as timing finds them. */
static struct row_map rows_timed(void)
{
    static const struct published_map published = {
        .bits = 32,
        .row = 0xfffc0000,
        .function = { { 0x2040 }, { 0x44000 }, { 0x88000 }, { 0x220000 } },
    };
    static struct row_memory memory;
    static struct row_work work;
    struct row_machine machine = { .map = &published, .noise = { 0.05, 0.01, 0 }, .random = 1 };
    const struct row_question question = { .memory = &memory,
                                           .seed = 7,
                                           .n_measurements_max = 1000000,
                                           .latency = row_machine_latency,
                                           .ctx = &machine };
    struct row_result result;

    row_memory_add(&memory, (struct span){ 0, 4 * GIB });
    row_search(&question, &work, &result);
    assert_int_equal(result.answer, ROWS_FOUND);
    return result.map;
}

TEST(rows_that_timing_confirms)
{
    struct row_map measured = rows_timed(), no_rows = measured;
    struct dram_map right = map_of(one_channel), map;
    struct dram_geometry g;

    assert_int_equal(compare(&right, &measured), ROWS_AGREE);
    assert_true(row_agreement_has_rows(&right, &measured, below));
    assert_false(row_agreement_has_rows(&right, &measured, 0)); /* of no address */
    no_rows.row = no_rows.column = 0;
    assert_true(row_agreement_has_rows(&right, &no_rows, below)); /* banks alone are compared */

    g = one_channel; /* a bit of the row is one of the column, and the other way round */
    g.row[0] = 7;
    g.column[3] = 18;
    map = map_of(g);
    assert_false(row_agreement_has_rows(&map, &measured, below));
    g = one_channel; /* a bank's row bit is another: the next row is in another bank */
    g.bank[1] = 0x104000;
    map = map_of(g);
    assert_false(row_agreement_has_rows(&map, &measured, below));
    assert_false(row_agreement_has_rows(&map, &no_rows, below));
    map = right; /* no rows by registers */
    map.channel[0].dimm[0] = (struct dram_geometry){ 0 };
    assert_false(row_agreement_has_rows(&map, &measured, below));
}
