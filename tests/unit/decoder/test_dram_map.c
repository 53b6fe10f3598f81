// SPDX-License-Identifier: MIT
#include "decoder/dram_map.h"

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

#define BIT(n) (UINT64_C(1) << (n))

/* Of two ranks, 4 GiB: banks by 6 ^ 13, 14 ^ 18, 15 ^ 19 and 17 ^ 21. */
static const struct dram_geometry two_ranks = {
    .n_banks = 4,
    .bank = { 0x2040, 0x44000, 0x88000, 0x220000 },
    .n_rows = 14,
    .row = { 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 },
    .n_columns = 10,
    .column = { 3, 4, 5, 7, 8, 9, 10, 11, 12, 13 },
};

/* Of one rank, 2 GiB: banks by 6 ^ 13, 14 ^ 17, 15 ^ 18 and 16 ^ 19. */
static const struct dram_geometry one_rank = {
    .n_banks = 4,
    .bank = { 0x2040, 0x24000, 0x48000, 0x90000 },
    .n_rows = 14,
    .row = { 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30 },
    .n_columns = 10,
    .column = { 3, 4, 5, 7, 8, 9, 10, 11, 12, 13 },
};

/*
 * Two channels: channel 0 has 4 GiB in one module of two ranks, channel 1 the same and 2 GiB of one
 * rank. Interleaved below 8 GiB by 8 ^ 9 ^ 12, of which bit 8 is removed; above is channel 1 alone.
 * The addresses from 3 GiB to 4 GiB are moved to the end.
 */
static struct dram_map map_of(void)
{
    struct dram_map map = {
        .n_moves = 1,
        .move = { { 10 * GIB, 11 * GIB, 7 * GIB } },
        .n_zones = 2,
        .zone = { { .end = 8 * GIB,
                    .n_functions = 1,
                    .function = { 0x1300 },
                    .channel = { 0, 1 },
                    .removed = BIT(8) },
                  { .start = 8 * GIB, .end = 10 * GIB, .channel = { 1 }, .subtract = 4 * GIB } },
        .n_channels = 2,
    };

    for (unsigned i = 0; i < 2; i++) {
        struct dram_channel *c = &map.channel[i];

        c->n_selects = 2;
        for (unsigned rank = 0; rank < 2; rank++)
            c->select[rank] = (struct dram_select){ .end = 4 * GIB,
                                                    .mask = BIT(16),
                                                    .value = rank ? BIT(16) : 0,
                                                    .number = (uint8_t)rank,
                                                    .flip = { BIT(20) },
                                                    .row_flip = rank ? 0x2a00 : 0 };
        c->dimm[0] = two_ranks;
    }
    map.channel[1].select[2] =
        (struct dram_select){ .start = 4 * GIB, .end = 6 * GIB, .number = 4 };
    map.channel[1].n_selects = 3;
    map.channel[1].dimm[1] = one_rank;
    return map;
}

TEST(places)
{
    static const struct {
        uint64_t phys;
        unsigned channel, dimm, rank, bank;
        uint32_t row, column;
    } at[] = {
        { 0, 0, 0, 0, 0, 0, 0 },
        { 0x40, 0, 0, 0, 1, 0, 0 },
        { 0x100, 1, 0, 0, 0, 0, 0 },
        { 0x200, 1, 0, 0, 0, 0, 0x10 },
        { 0x20000, 0, 0, 1, 0, 0x2a00, 0 }, /* rank: 16 ^ 20 in the channel, 17 ^ 21 outside */
        { 0x200000, 0, 0, 1, 0, 4, 0 },     /* bit 20 alone: the select is rank 0's */
        { 0x80000, 0, 0, 0, 2, 1, 0 },
        { 8 * GIB, 1, 1, 0, 0, 0, 0 }, /* the larger channel's other module */
        { 8 * GIB + 0x40040, 1, 1, 0, 5, 2, 0 },
        { 10 * GIB + 0x100, 1, 0, 0, 0, 0x1800, 0 }, /* moved from 3 GiB */
    };
    struct dram_map map = map_of();

    for (size_t i = 0; i < COUNT(at); i++) {
        struct dram_place p;

        assert_true(dram_map_locate(&map, at[i].phys, &p));
        assert_int_equal(p.channel, at[i].channel);
        assert_int_equal(p.dimm, at[i].dimm);
        assert_int_equal(p.rank, at[i].rank);
        assert_int_equal(p.bank, at[i].bank);
        assert_int_equal(p.row, at[i].row);
        assert_int_equal(p.column, at[i].column);
    }
}

TEST(no_zone_has_an_address)
{
    struct dram_map map = map_of();
    struct dram_place p;

    assert_false(dram_map_locate(&map, 11 * GIB, &p));
    assert_false(dram_map_locate(&map, UINT64_MAX, &p));
    map.channel[1].n_selects = 2;
    assert_false(dram_map_locate(&map, 8 * GIB, &p));
}

TEST(there_and_back)
{
    struct dram_map map = map_of();
    uint64_t random = 1;

    for (unsigned i = 0; i < 20000; i++) {
        uint64_t phys = splitmix_next(&random) % (11 * GIB) & ~UINT64_C(7), back;
        struct dram_place p;

        if (phys >= 3 * GIB && phys < 4 * GIB)
            continue;
        assert_true(dram_map_locate(&map, phys, &p));
        assert_true(dram_map_address(&map, &p, &back));
        assert_int_equal(back, phys);
    }
}

TEST(no_address_for_a_place)
{
    struct dram_map map = map_of();
    struct dram_place p = { .channel = 0, .dimm = 1 };
    uint64_t phys;

    assert_false(dram_map_address(&map, &p, &phys)); /* no module there */
    p = (struct dram_place){ .channel = 1, .dimm = 1, .rank = 1 };
    assert_false(dram_map_address(&map, &p, &phys)); /* it has one rank */
    p = (struct dram_place){ .channel = 0, .row = 1 << 14 };
    assert_false(dram_map_address(&map, &p, &phys)); /* it has fewer rows */
}

TEST(functions)
{
    static const uint64_t expected[] = { 0x1300, 0x220000, 0x4040, 0x88000, 0x110000, 0x440000 };
    struct dram_map map = map_of();
    struct dram_functions f;

    dram_map_functions(&map, &map.zone[0], &f);
    assert_int_equal(f.n, 6);
    assert_int_equal(f.n_module, 1);
    assert_true(f.all_linear);
    assert_memory_equal(f.function, expected, sizeof(expected));
}

TEST(what_is_not_linear_is_left_out)
{
    struct dram_map map = map_of();
    struct dram_functions f;

    map.zone[0].subtract = 0x14000; /* carries run through the banks' bits */
    dram_map_functions(&map, &map.zone[0], &f);
    assert_int_equal(f.n, 2);
    assert_int_equal(f.n_module, 1);
    assert_false(f.all_linear);
    assert_int_equal(f.function[0], 0x1300);
    assert_int_equal(f.function[1], 0x4040);
}

TEST(zones_that_differ)
{
    const struct dram_zone like[] = { { .n_functions = 1, .removed = 0x100, .subtract = GIB },
                                      { .n_functions = 1, .removed = 0x100 },
                                      { .n_functions = 2, .removed = 0x100 },
                                      { .n_functions = 1, .removed = 0x300 },
                                      { .n_functions = 1, .removed = 0x100, .thirds = true } };
    struct dram_map map = { .n_zones = 1 };

    assert_false(dram_map_zones_differ(&map));
    map.n_zones = 2;
    for (size_t i = 1; i < COUNT(like); i++) {
        map.zone[0] = like[0];
        map.zone[1] = like[i];
        assert_int_equal(dram_map_zones_differ(&map), i > 1);
    }
    assert_int_equal(dram_zone_base(&like[0]), 2 * GIB);
    assert_int_equal(dram_zone_base(&(struct dram_zone){ .subtract = 5, .removed = 0x1300 }), 40);
}
