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
    assert_int_equal(row_map_row_bytes(&map), 0x10000);
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
