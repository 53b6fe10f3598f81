// SPDX-License-Identifier: MIT
#include "tools/plugin/dram_fault.h"

#include "tests/unit/unit.h"

#define ALL_FIELDS ((1u << DRAM_FIELDS) - 1)

static struct dram_fault fault_on(const char *map)
{
    return (struct dram_fault){
        .map = dram_map_find(map),
        .fields = ALL_FIELDS,
        .n_rows = 1,
        .n_pins = 1,
        .beat = DRAM_BEAT_ALL,
        .one_in = 1,
    };
}

TEST(a_row_is_its_columns)
{
    struct dram_fault f = fault_on("skylake");
    uint64_t bits[DRAM_LINE_WORDS];

    f.first_row = f.at.row = 77;
    f.any_column = true;
    f.pin = 16;
    f.n_pins = 8;
    assert_int_equal(dram_fault_lines(&f), 128);
    for (uint64_t i = 0; i < 128; i++) {
        uint64_t line = dram_fault_line(&f, i);

        assert_int_equal(line % 64, 0);
        assert_true(dram_fault_bits(&f, line, bits));
        assert_int_equal(bits[7], 0xff0000);
        assert_false(dram_fault_bits(&f, line ^ 0x4000, bits)); /* another bank group */
    }
}

TEST(a_column_is_its_rows)
{
    struct dram_fault f = fault_on("zen3");
    uint64_t bits[DRAM_LINE_WORDS], seen = 0;

    f.n_rows = 512;
    f.beat = 3;
    f.pin = 9;
    assert_int_equal(dram_fault_lines(&f), 512);
    for (uint64_t i = 0; i < 512; i++) {
        assert_true(dram_fault_bits(&f, dram_fault_line(&f, i), bits));
        assert_int_equal(bits[3], 1 << 9);
        assert_int_equal(bits[0] | bits[1] | bits[2] | bits[4], 0);
        seen |= dram_fault_line(&f, i);
    }
    assert_true(seen >> 18 == 511);
}

/* A line is 16 beats of 32 pins: two in each word. */
TEST(ddr5_has_two_beats_a_word)
{
    struct dram_fault f = fault_on("zen4");
    uint64_t bits[DRAM_LINE_WORDS];

    f.any_column = true;
    f.pin = 5;
    assert_true(dram_fault_bits(&f, dram_fault_line(&f, 0), bits));
    assert_int_equal(bits[0], UINT64_C(1) << 37 | 1 << 5);
    f.beat = 15;
    assert_true(dram_fault_bits(&f, dram_fault_line(&f, 0), bits));
    assert_int_equal(bits[0], 0);
    assert_int_equal(bits[7], UINT64_C(1) << 37);
}

TEST(a_pin_is_in_all_of_its_rank)
{
    struct dram_fault f = fault_on("coffee-lake");
    uint64_t bits[DRAM_LINE_WORDS];

    f.fields = 1u << DRAM_RANK;
    f.n_rows = dram_rows(f.map);
    f.any_column = true;
    assert_int_equal(dram_fault_lines(&f), UINT64_C(1) << (34 - 6 - 1));
    assert_true(dram_fault_bits(&f, 0x123440, bits) !=
                dram_fault_bits(&f, 0x123440 ^ 0x4000, bits));
}

TEST(one_cell_in_some)
{
    struct dram_fault f = fault_on("skylake");
    uint64_t bits[DRAM_LINE_WORDS];
    unsigned n = 0;

    f.any_column = true;
    f.n_pins = 64;
    f.one_in = 8;
    for (uint64_t i = 0; i < 128; i++) {
        dram_fault_bits(&f, dram_fault_line(&f, i), bits);
        for (unsigned w = 0; w < DRAM_LINE_WORDS; w++)
            n += (unsigned)__builtin_popcountll(bits[w]);
    }
    assert_in_range(n, 7700, 8700); /* of 65536 */
}
