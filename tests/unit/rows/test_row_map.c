// SPDX-License-Identifier: MIT
#include "rows/row_map.h"

#include "tests/unit/unit.h"

/* Banks by 13 ^ 16 and 14; rows are the bits 16 to 18, columns 6 to 12. */
static const struct row_map map = {
    .bits = 0x7ffff,
    .n_functions = 2,
    .function = { 0x12000, 0x4000 },
    .row = 0x70000,
    .column = 0x1fff,
    .step = { [6] = 0x40,
              [7] = 0x4080,
              [8] = 0x100,
              [9] = 0x200,
              [10] = 0x400,
              [11] = 0x800,
              [12] = 0x1000,
              [16] = 0x12000,
              [17] = 0x20000,
              [18] = 0x40000 },
};

TEST(banks_and_rows)
{
    static const struct {
        uint64_t phys;
        uint32_t bank;
        uint64_t row;
    } at[] = {
        { 0, 0, 0 },       { 0x1fff, 0, 0 },  { 0x2000, 1, 0 },  { 0x4040, 2, 0 },
        { 0x10000, 1, 1 }, { 0x12000, 0, 1 }, { 0x76fff, 2, 7 }, { 0x86000, 3, 0 },
    };

    for (size_t i = 0; i < COUNT(at); i++) {
        assert_int_equal(row_map_bank(&map, at[i].phys), at[i].bank);
        assert_int_equal(row_map_row(&map, at[i].phys), at[i].row);
    }
}

TEST(neighbours)
{
    static const struct {
        uint64_t phys;
        int64_t distance;
        bool is;
        uint64_t neighbour;
    } at[] = {
        { 0x40, 0, true, 0x40 },     { 0x40, 1, true, 0x12040 }, { 0x12040, 1, true, 0x20040 },
        { 0x12040, -1, true, 0x40 }, { 0x40, -1, false, 0 },     { 0x72000, 1, false, 0 },
        { 0x72000, -7, true, 0 },    { 0, 7, true, 0x72000 },    { 0, 8, false, 0 },
    };

    for (size_t i = 0; i < COUNT(at); i++) {
        uint64_t phys = 1;

        assert_int_equal(row_map_neighbour(&map, at[i].phys, at[i].distance, &phys), at[i].is);
        assert_int_equal(phys, at[i].is ? at[i].neighbour : 1);
    }
}

TEST(bytes_of_a_row_of_all_banks)
{
    assert_int_equal(row_map_row_bytes(&map, 0x40), 0x12000);
    assert_int_equal(row_map_row_bytes(&map, 0x72000), 0x12000); /* the highest row */
    assert_int_equal(row_map_row_bytes(&(struct row_map){ .column = 0x1fff }, 0x40), 0);
}

/* Bit 7 takes bit 14 with it here. */
TEST(lines_of_a_row)
{
    static const struct {
        uint64_t phys, n, line;
    } at[] = {
        { 0, 0, 0 },   { 0, 1, 0x40 }, { 0, 2, 0x4080 },        { 0, 127, 0x5fc0 },
        { 0, 128, 0 }, { 0x40, 0, 0 }, { 0x72080, 0, 0x76000 }, { 0x72080, 2, 0x72080 },
    };

    for (size_t i = 0; i < COUNT(at); i++)
        assert_int_equal(row_map_line(&map, at[i].phys, at[i].n), at[i].line);
    assert_int_equal(row_map_lines(&map, 0x72080), 128);
}

/*
 * Two channels of 4 GiB by bit 8, and the rest of the second, 2 GiB, alone; the memory from 3 GiB
 * on is moved to 10 GiB. In a channel the banks are 13 ^ 16 and 14, bit 15 a rank whose rows are
 * inverted in bit 1, and the row's lowest bits the other way round.
 */
static const struct dram_geometry geometry = {
    .n_banks = 2,
    .bank = { 0x12000, 0x4000 },
    .n_rows = 17,
    .row = { 17, 16, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 },
    .n_columns = 10,
    .column = { 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 },
};
static const struct dram_map controller = {
    .n_moves = 1,
    .move = { { 10 * GIB, 11 * GIB, 7 * GIB } },
    .n_zones = 2,
    .zone = { { .end = 8 * GIB,
                .n_functions = 1,
                .function = { 0x100 },
                .channel = { 0, 1 },
                .removed = 0x100 },
              { .start = 8 * GIB, .end = 10 * GIB, .channel = { 1 }, .subtract = 4 * GIB } },
    .n_channels = 2,
    .channel = { { .n_selects = 2,
                   .select = { { .end = 4 * GIB, .mask = 0x8000 },
                               { .end = 4 * GIB,
                                 .mask = 0x8000,
                                 .value = 0x8000,
                                 .number = 1,
                                 .row_flip = 2 } },
                   .dimm = { geometry } },
                 { .n_selects = 2,
                   .select = { { .end = 6 * GIB, .mask = 0x8000 },
                               { .end = 6 * GIB, .mask = 0x8000, .value = 0x8000, .number = 1 } },
                   .dimm = { geometry } } },
};

static struct row_map by_registers(uint64_t below)
{
    struct row_map rows = map;

    rows.registers = &controller;
    rows.below = below;
    return rows;
}

TEST(neighbours_by_the_registers)
{
    static const struct {
        uint64_t phys;
        int64_t distance;
        uint64_t neighbour; /* 0: there is none */
    } at[] = {
        { 0x40, 1, 0x40040 }, /* row bit 0 is bit 17 of the channel's, 18 of all */
        { 0x40, 2, 0x24040 }, /* bit 1 is a bank's, too */
        { 0x40, 3, 0x64040 },
        { 0x64040, -3, 0x40 },
        { 0x40, -1, 0 },
        { 0x10040, 1, 0x50040 }, /* of the other rank */
        { 0x10040, -2, 0x34040 },
        { 0x34040, -1, 0 },
        { 3 * GIB - 0x100, 1, 10 * GIB + 0x1bf00 }, /* moved */
        { 8 * GIB - 0x100, 1, 8 * GIB + 0xdf00 },   /* the channel's rest */
        { 8 * GIB + 0xdf00, -1, 8 * GIB - 0x100 },
        { 8 * GIB - 0x200, 3, 0 }, /* the other channel has no rest */
        { 10 * GIB - 0x100, 1, 0 },
    };
    struct row_map rows = by_registers(10 * GIB);

    for (size_t i = 0; i < COUNT(at); i++) {
        uint64_t phys = 0;

        assert_int_equal(row_map_neighbour(&rows, at[i].phys, at[i].distance, &phys),
                         at[i].neighbour != 0);
        assert_int_equal(phys, at[i].neighbour);
    }
}

/* Above what is proved, and where the registers say no banks, it is as timing shows. */
TEST(what_the_registers_do_not_have)
{
    struct row_map rows = by_registers(0x40000);
    struct dram_map bare = controller;
    uint64_t phys;

    assert_true(row_map_is_by_registers(&rows, 0x3ffc0));
    assert_false(row_map_neighbour(&rows, 0x40, 1, &phys)); /* it is not proved */
    assert_false(row_map_is_by_registers(&rows, 0x40000));
    assert_true(row_map_neighbour(&rows, 0x40040, 1, &phys));
    assert_int_equal(phys, 0x52040);
    assert_false(row_map_is_by_registers(&rows, 20 * GIB));
    bare.channel[0].dimm[0].n_banks = 0;
    rows = by_registers(10 * GIB);
    rows.registers = &bare;
    assert_false(row_map_is_by_registers(&rows, 0x40));
    assert_true(row_map_is_by_registers(&rows, 0x140));
    assert_true(row_map_neighbour(&rows, 0x40, 1, &phys));
    assert_int_equal(phys, 0x12040);
}

TEST(lines_by_the_registers)
{
    struct row_map rows = by_registers(10 * GIB);

    assert_int_equal(row_map_lines(&rows, 0x40), 128);
    assert_int_equal(row_map_line(&rows, 0x1c0, 0), 0x100);
    assert_int_equal(row_map_line(&rows, 0x1c0, 5), 0x340); /* bit 8 is the channel's */
    assert_int_equal(row_map_line(&rows, 0x1c0, 127), 0x3fc0);
    assert_int_equal(row_map_line(&rows, 0x1c0, 128), 0x100);
    assert_int_equal(row_map_row_bytes(&rows, 0x40), 0x40000);
}

TEST(addresses_above_the_hole_are_counted_without_it)
{
    assert_int_equal(row_map_linear(GIB, 3 * GIB - 1), 3 * GIB - 1);
    assert_int_equal(row_map_linear(GIB, 4 * GIB), 3 * GIB);
    assert_int_equal(row_map_phys(GIB, 3 * GIB - 1), 3 * GIB - 1);
    assert_int_equal(row_map_phys(GIB, 3 * GIB), 4 * GIB);
    for (uint64_t phys = 0; phys < 64 * GIB; phys += GIB / 2 + 64) {
        assert_int_equal(row_map_linear(0, phys), phys);
        assert_int_equal(row_map_phys(0, phys), phys);
        if (phys < 3 * GIB || phys >= 4 * GIB)
            assert_int_equal(row_map_phys(GIB, row_map_linear(GIB, phys)), phys);
    }
}
