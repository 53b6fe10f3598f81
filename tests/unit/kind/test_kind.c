// SPDX-License-Identifier: MIT
#include "kind/kind.h"

#include "lib/splitmix.h"
#include "tests/unit/unit.h"
#include "tools/plugin/dram_fault.h"

#define STUCK 3 /* reads where a stuck cell shows in the march below */

static struct fault record[FAULT_RECORDS];
static struct page_retest pages[PAGE_RETEST_MAX];
static struct kind_test tests[3]; /* one that neither waits nor hammers, one that waits, hammers */
static struct kind_input input;
static struct kind_work work;
static struct kind_verdict verdict;
static struct test_list list;
static uint64_t random_state;

static int begin(void **state)
{
    memset(record, 0, sizeof(record));
    memset(pages, 0, sizeof(pages));
    memset(tests, 0, sizeof(tests));
    list.n_tests = 1;
    list.test[0] = (struct test){ .name = "march",
                                  .notation = "any(w0);any(r0,r0,r0,w1,r1,r1,r1)",
                                  .data = DATA_BACKGROUND,
                                  .rounds = 1 };
    tests[0].ran = true;
    tests[1].waits = tests[2].hammers = true;
    input = (struct kind_input){
        .record = record, .retest = pages, .test = tests, .n_tests = 3, .reads = { &list, 0, 1 }
    };
    random_state = 7;
    return 0;
}

/* A word that was wrong so often, found by a test. */
static void add(uint64_t addr, uint64_t wrong, unsigned times, unsigned test)
{
    for (unsigned i = 0; i < times; i++) {
        input.n_faults++;
        tests[test].faults++;
        if (input.n_records < FAULT_RECORDS)
            record[input.n_records++] = (struct fault){ .addr = addr, .found = wrong, .pass = 1 };
    }
    input.n_bad_pages = 1;
}

static void again(uint64_t page, uint32_t tries, uint32_t failed, bool lost)
{
    pages[input.n_retests++] =
        (struct page_retest){ .addr = page, .tries = tries, .failed = failed, .lost_data = lost };
}

static void assert_kind(enum kind kind, enum kind_confidence confidence)
{
    kind_find(&work, &input, &verdict);
    if (verdict.kind != kind || verdict.confidence != confidence)
        fail_msg("kind %d, confidence %d: %s", verdict.kind, verdict.confidence, verdict.evidence);
}

static void assert_says(const char *text)
{
    if (strcmp(verdict.evidence, text) != 0)
        fail_msg("%s", verdict.evidence);
}

TEST(nothing_is_no_kind, begin)
{
    assert_kind(KIND_NONE, KIND_SURE);
    input.n_bad_pages = 1; /* by a machine check */
    assert_kind(KIND_UNCLEAR, KIND_POSSIBLE);
}

TEST(a_stuck_cell, begin)
{
    add(0x5000008, 8, STUCK, 0);
    again(0x5000000, 8, 8, false);
    assert_kind(KIND_CELL, KIND_SURE);
    assert_int_equal(verdict.lane.what, KIND_LANE_PIN);
    assert_int_equal(verdict.lane.pin, 3);
    assert_says(
        "bits 0x8 of the word at 0x5000008, wrong in 100 % of the reads where a stuck cell would show; 1 of 1 page bad again");
}

TEST(a_cell_that_came_once, begin)
{
    add(0x5000008, 8, 1, 0);
    again(0x5000000, 8, 0, false);
    assert_kind(KIND_CELL, KIND_POSSIBLE);
}

TEST(two_bits_are_a_few_cells, begin)
{
    add(0x5000008, 0x108, STUCK, 0);
    again(0x5000000, 8, 8, false);
    assert_kind(KIND_CELLS, KIND_SURE);
}

TEST(a_cell_that_needs_other_memory, begin)
{
    add(0x5000008, 8, 2, 0);
    again(0x5000000, 8, 0, false);
    assert_kind(KIND_COUPLING, KIND_LIKELY);
}

TEST(a_cell_that_needs_certain_data, begin)
{
    add(0x5000008, 8, 2, 0);
    again(0x5000000, 8, 8, false);
    assert_kind(KIND_COUPLING, KIND_POSSIBLE);
}

TEST(a_cell_that_fails_now_and_then, begin)
{
    add(0x5000008, 8, 2, 0);
    again(0x5000000, 8, 3, false);
    assert_kind(KIND_CELL, KIND_LIKELY);
}

TEST(only_tests_that_wait, begin)
{
    add(0x5000008, 8, 1, 1);
    assert_kind(KIND_RETENTION, KIND_LIKELY);
    again(0x5000000, 9, 1, true);
    assert_kind(KIND_RETENTION, KIND_SURE);
    tests[0].ran = false; /* no other test ran */
    input.n_retests = 0;
    assert_kind(KIND_CELL, KIND_POSSIBLE);
}

TEST(lost_while_held, begin)
{
    add(0x5000008, 8, 3, 0);
    again(0x5000000, 9, 1, true);
    assert_kind(KIND_RETENTION, KIND_POSSIBLE);
}

TEST(only_row_hammer, begin)
{
    add(0x5000008, 8, 2, 2);
    assert_kind(KIND_COUPLING, KIND_SURE);
}

/* All lines of a row of 8 KiB, by Skylake's map: address bit 8 is none of the columns. */
TEST(all_of_a_row, begin)
{
    for (unsigned line = 0; line < 128; line++) {
        uint64_t addr = 0x12340000 + ((line & 3) << 6) + ((line >> 2) << 9);

        add(addr, UINT64_C(0x55) << 24, 1, 0);
    }
    again(0x12340000, 8, 8, false);
    assert_kind(KIND_ROW, KIND_SURE);
    assert_int_equal(verdict.lane.what, KIND_LANE_BYTE);
    assert_int_equal(kind_lane_number(&verdict.lane), 3);
    assert_says("128 lines, all within 16 KiB: bits 24-31 of 64; 1 of 1 page bad again");
}

/* By Skylake's map: bank bits are XORed with row bits, and the next row is in the next 256 KiB. */
TEST(rows_next_to_each_other, begin)
{
    static const struct {
        uint32_t row, n;
        const char *text;
    } cases[] = {
        { 0x48d, 2,
          "16 lines, all within 303 KiB, as rows next to each other are: bits 16-23 of 64" },
        { 0x7ff, 2,
          "16 lines, all within 47 KiB, as rows next to each other are: bits 16-23 of 64" },
        { 0x48e, 4,
          "32 lines, all within 623 KiB, as rows next to each other are: bits 16-23 of 64" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dram_fault rows = { .map = dram_map_find("skylake"),
                                   .fields = (1u << DRAM_FIELDS) - 1,
                                   .first_row = cases[i].row,
                                   .n_rows = cases[i].n,
                                   .any_column = true };

        begin(state);
        for (uint64_t line = 0; line < dram_fault_lines(&rows); line += 16)
            add(dram_fault_line(&rows, line), UINT64_C(0x55) << 16, 1, 0);
        assert_kind(KIND_ROW, KIND_SURE);
        assert_says(cases[i].text);
    }
}

/* Of four blocks of 256 KiB one chip's bits, of one block all bits. */
TEST(rows_are_in_four_blocks, begin)
{
    static const struct {
        uint64_t last, other_bits;
        enum kind kind;
    } cases[] = {
        { (UINT64_C(1) << 20) - 64, 0, KIND_ROW },
        { UINT64_C(1) << 20, 0, KIND_CELLS },
        { (UINT64_C(1) << 18) - 64, 0xff, KIND_ROW },
        { UINT64_C(1) << 18, 0xff, KIND_CELLS },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(state);
        for (uint64_t line = 0; line < 8; line++)
            add(0x12340000 + (line < 7 ? line * 64 : cases[i].last),
                UINT64_C(0x550000) | (line % 2 ? cases[i].other_bits : 0), STUCK, 0);
        assert_kind(cases[i].kind, KIND_SURE);
    }
}

/* A row has 256 lines at most; of a block whose lines have more dimensions there are several. */
TEST(a_row_has_its_rank, begin)
{
    for (unsigned bit = 6; bit < 14; bit++)
        add(0x12340000 | UINT64_C(1) << bit, 0x55, STUCK, 0);
    add(0x12340000, 0x55, STUCK, 0);
    assert_kind(KIND_ROW, KIND_SURE);
    add(0x12340000 | UINT64_C(1) << 14, 0x55, STUCK, 0);
    assert_kind(KIND_CELLS, KIND_SURE);
}

/* Where timing has shown what a row is, it is that, in whichever block; and nothing else is. */
TEST(all_of_a_known_row, begin)
{
    static const struct row_map map = {
        .n_functions = 2, .function = { 0x12000, 0x4000 }, .row = 0x70000, .column = 0x801fff
    };

    for (uint64_t line = 0; line < 8; line++)
        add(0x12340000 + ((line & 3) << 6) + (line >> 2 << 23), UINT64_C(0x55) << 24, STUCK, 0);
    input.rows = &map;
    assert_kind(KIND_ROW, KIND_SURE);
    assert_says(
        "8 lines, all within 8193 KiB: bits 24-31 of 64; all in row 0x4 of bank 0, by timing");
    input.rows = NULL;
    assert_kind(KIND_CELLS, KIND_SURE);
}

TEST(known_rows_next_to_each_other, begin)
{
    static const struct row_map map = {
        .n_functions = 1, .function = { 0x2000 }, .row = 0xff0000, .column = 0x1fff
    };

    input.rows = &map;
    for (uint64_t line = 0; line < 8; line++)
        add(0x12300000 + (line & 3 ? 0x30000 : 0) + line * 64, UINT64_C(0x55) << 24, STUCK, 0);
    assert_kind(KIND_ROW, KIND_SURE);
    assert_says(
        "8 lines, all within 193 KiB: bits 24-31 of 64; in rows 0x30 to 0x33 of bank 0, by timing");
    add(0x12340000, UINT64_C(0x55) << 24, STUCK, 0); /* the fifth row */
    assert_kind(KIND_CELLS, KIND_SURE);
}

TEST(lines_of_two_banks_are_no_row, begin)
{
    static const struct row_map map = {
        .n_functions = 1, .function = { 0x40 }, .row = 0x70000, .column = 0x1f80
    };

    for (uint64_t line = 0; line < 8; line++)
        add(0x12340000 + (line << 6), UINT64_C(0x55) << 24, STUCK, 0);
    input.rows = &map;
    assert_kind(KIND_CELLS, KIND_SURE);
    assert_says(
        "8 words of 1 pages, wrong in 100 % of the reads where a stuck cell would show; in several "
        "banks, by timing");
    input.rows = NULL;
    assert_kind(KIND_ROW, KIND_SURE);
    assert_says("8 lines, all within 1 KiB: bits 24-31 of 64");
}

/* Two channels by bit 8, and in each: columns 3 to 12, banks 13 ^ 16 and 14 ^ 17, rows from 15. */
static const struct dram_map *registers(void)
{
    static struct dram_map map;
    struct dram_geometry *g = &map.channel[1].dimm[0];

    map = (struct dram_map){ .n_zones = 1, .n_channels = 2 };
    map.zone[0] = (struct dram_zone){ .end = UINT64_C(1) << 34,
                                      .n_functions = 1,
                                      .function = { 0x100 },
                                      .channel = { 0, 1 },
                                      .removed = 0x100 };
    *g = (struct dram_geometry){ .n_banks = 2, .bank = { 0x12000, 0x24000 } };
    for (; g->n_columns < 10; g->n_columns++)
        g->column[g->n_columns] = 3 + g->n_columns;
    for (; g->n_rows < 16; g->n_rows++)
        g->row[g->n_rows] = 15 + g->n_rows;
    map.channel[0].dimm[0] = *g;
    map.channel[0].n_selects = map.channel[1].n_selects = 1;
    map.channel[0].select[0].end = map.channel[1].select[0].end = UINT64_C(1) << 33;
    input.map_below = UINT64_C(1) << 34;
    return &map;
}

/* The address of a line at a place of channel 1 and of one bank. */
static uint64_t line_at(uint64_t row, uint64_t column)
{
    uint64_t local = row << 15 | column << 6 | (row >> 1 & 1) << 13 | (row >> 2 & 1) << 14;

    return (local & 0xff) | 0x100 | (local & ~UINT64_C(0xff)) << 1;
}

/* Where registers say rows and columns, and a measurement confirms them, these count. */
TEST(a_column_by_registers, begin)
{
    for (uint64_t row = 0; row < 16; row++)
        add(line_at(row, 5), 0xa5, STUCK, 0);
    assert_kind(KIND_ROW, KIND_SURE); /* as in four blocks of 256 KiB */
    input.map = registers();
    again(line_at(0, 5) & ~UINT64_C(4095), 8, 8, false);
    assert_kind(KIND_COLUMN, KIND_LIKELY);
    assert_says(
        "bits 0-7 of 64 in 16 lines of 16 pages, all at one place of a row; 1 of 1 page bad "
        "again; in rows 0x0 to 0xf of bank 0 of rank 0, by the controller's registers");
    add(line_at(16, 6), 0xa5, STUCK, 0); /* at another place of its row */
    assert_kind(KIND_CELLS, KIND_SURE);
}

TEST(one_bit_of_several_banks_is_no_column, begin)
{
    for (uint64_t bank = 0; bank < 4; bank++)
        add(line_at(bank, 5) ^ bank << 14, 0x20, STUCK, 0);
    assert_kind(KIND_COLUMN, KIND_LIKELY);
    input.map = registers();
    assert_kind(KIND_CELLS, KIND_SURE);
    input.map_below = 0x1000; /* not confirmed as far as that */
    assert_kind(KIND_COLUMN, KIND_LIKELY);
}

TEST(one_bit_at_several_places_of_rows_is_no_column, begin)
{
    for (uint64_t row = 0; row < 5; row++)
        add(line_at(row, 5 + row / 2), 0x20, STUCK, 0);
    assert_kind(KIND_COLUMN, KIND_LIKELY);
    input.map = registers();
    assert_kind(KIND_CELLS, KIND_SURE);
}

/* Rows of two modules are no row, though their numbers are next to each other. */
TEST(a_row_by_registers, begin)
{
    for (uint64_t column = 0; column < 8; column++)
        add(line_at(9, column), UINT64_C(0x55) << 24, STUCK, 0);
    input.map = registers();
    assert_kind(KIND_ROW, KIND_SURE);
    assert_says("8 lines, all within 1 KiB: bits 24-31 of 64; all in row 0x9 of bank 0 of rank 0, "
                "by the controller's registers");
    add(line_at(9, 9) ^ 0x100, UINT64_C(0x55) << 24, STUCK, 0);
    assert_kind(KIND_CELLS, KIND_SURE);
}

TEST(four_lines_are_likely_a_row, begin)
{
    for (unsigned line = 0; line < 4; line++)
        add(0x12340000 + line * 64, UINT64_C(1) << (line * 9), STUCK, 0);
    assert_kind(KIND_ROW, KIND_LIKELY);
}

TEST(three_lines_are_no_row, begin)
{
    for (unsigned line = 0; line < 3; line++)
        add(0x12340000 + line * 64, UINT64_C(1) << (line * 9), STUCK, 0);
    assert_kind(KIND_CELLS, KIND_SURE);
}

/* The XOR of row bits with bank bits keeps the bank. */
TEST(one_bit_in_many_rows, begin)
{
    for (uint64_t row = 0; row < 64; row++) {
        uint64_t bank = row & 7;

        add(row << 18 | bank << 15 | 0x48, 0x20, STUCK, 0);
    }
    again(0, 8, 8, false);
    assert_kind(KIND_COLUMN, KIND_SURE);
    assert_int_equal(verdict.lane.pin, 5);
    assert_says("the same bit of 64 lines, whose addresses have rank 6; 1 of 1 page bad again");
}

/* A column has one line in a page. With the rest of the machine's faults one may have two. */
TEST(lines_of_a_column_are_far_apart, begin)
{
    static const struct {
        unsigned lines, blocks, in_page;
        enum kind kind;
    } cases[] = {
        { 24, 5, 1, KIND_COLUMN },
        { 24, 4, 1, KIND_ROW },
        { 24, 24, 2, KIND_COLUMN },
        { 24, 24, 3, KIND_CELLS },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(state);
        for (uint64_t line = 0; line < cases[i].lines; line++)
            add(0x12340000 + (line % cases[i].blocks << 18) + (line / cases[i].blocks << 13),
                UINT64_C(0xa5) << 8, STUCK, 0);
        for (uint64_t line = 1; line < cases[i].in_page; line++)
            add(0x12340000 + line * 64, UINT64_C(0xa5) << 8, STUCK, 0);
        kind_find(&work, &input, &verdict);
        if (verdict.kind != cases[i].kind)
            fail_msg("case %zu: kind %d, %s", i, verdict.kind, verdict.evidence);
    }
}

static uint64_t in_three_channels(uint64_t local, uint64_t turn, uint64_t channel)
{
    return (local / turn * 3 + channel) * turn + local % turn;
}

/*
 * All of a lane's bits in a bank's rows, one line each: a column select line. By Zen 3's map, with
 * a hole below 4 GiB or without, and with three channels that take turns or without.
 */
TEST(one_lane_in_many_rows, begin)
{
    static const uint64_t hole[] = { 0, 512, 1024, 1536, 448 }, turn[] = { 0, 64, 256, 4096 };

    for (size_t i = 0; i < 5 * 4 * 3; i++) {
        struct dram_fault rows = { .map = dram_map_find("zen3"),
                                   .at = { .field = { [DRAM_BANK] = 2 }, .column = 0x1540 },
                                   .fields = (1u << DRAM_FIELDS) - 1,
                                   .n_rows = dram_rows(dram_map_find("zen3")) };

        begin(state);
        for (uint64_t row = 0; row < 24; row++) {
            uint64_t local = dram_fault_line(&rows, splitmix_next(&random_state) % rows.n_rows),
                     of_three = turn[i / 5 % 4];

            if (of_three)
                local = in_three_channels(local, of_three, i / 20);
            add(row_map_phys(hole[i % 5] << 20, local), UINT64_C(0xa5) << 8, STUCK, 0);
        }
        assert_kind(KIND_COLUMN, KIND_SURE);
    }
}

/* Lines that agree in six bits below a row's, or in five; and seven lines. */
TEST(few_lines_of_a_column, begin)
{
    static const struct {
        uint64_t free_bits;
        unsigned lines;
        enum kind kind;
        enum kind_confidence confidence;
    } cases[] = {
        { 0x3f000, 24, KIND_COLUMN, KIND_SURE },  { 0x3f000, 23, KIND_COLUMN, KIND_LIKELY },
        { 0x3f000, 8, KIND_COLUMN, KIND_LIKELY }, { 0x3f000, 7, KIND_CELLS, KIND_SURE },
        { 0x3f800, 24, KIND_CELLS, KIND_SURE },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(state);
        for (uint64_t line = 0; line < cases[i].lines; line++)
            add(line << 23 | (splitmix_next(&random_state) & cases[i].free_bits),
                UINT64_C(0xa5) << 8, STUCK, 0);
        assert_kind(cases[i].kind, cases[i].confidence);
    }
}

/* In fewer than 64 blocks it may also be as many rows; but in one of them are more lines than a row
 * has. */
TEST(a_part_of_a_chip, begin)
{
    static struct fault sample[256];

    for (uint64_t i = 0; i < 64; i++)
        add(0x4b00000 + i * 64, UINT64_C(0xa5) << 8, 1, 0);
    for (size_t i = 0; i < 256; i++)
        sample[i] = (struct fault){ .addr = 0x4b00000 + i * 8192, .found = 0x5500 };
    input.sample = sample;
    input.n_sample = 256;
    assert_kind(KIND_CHIP, KIND_LIKELY);
    sample[0].addr = 0x4b00000 + (62 << 18);
    assert_kind(KIND_CHIP, KIND_LIKELY);
    sample[0].addr += 1 << 18;
    assert_kind(KIND_CHIP, KIND_SURE);
}

/* All banks' lines in four blocks are more than rows of one bank. */
TEST(many_lines_of_four_blocks, begin)
{
    for (uint64_t i = 0; i < 256; i++)
        add(0x4b00000 + splitmix_below(&random_state, 16384) * 64, UINT64_C(0xa5) << 8, 1, 0);
    assert_kind(KIND_CHIP, KIND_LIKELY);
}

TEST(one_pin_in_all_words, begin)
{
    for (uint64_t i = 0; i < 32; i++)
        add(splitmix_next(&random_state) % (UINT64_C(1) << 34) & ~UINT64_C(7), UINT64_C(1) << 41, 1,
            0);
    again(0x5000000, 8, 4, false);
    assert_kind(KIND_PIN, KIND_SURE);
    assert_int_equal(verdict.lane.pin, 41);
    assert_int_equal(verdict.lane.bus_bits, 64);
    assert_says("bit 41 of 64 in all of 32 lines seen, in 8 of a line's 8 words; 1 of 1 page bad "
                "again");
}

/* A pin, and a chip, are of one channel: two that fail alike have something else in common. */
TEST(one_pin_of_two_channels_is_none, begin)
{
    static const uint64_t bits[] = { UINT64_C(1) << 41, UINT64_C(0x81) << 40 };

    for (size_t kind = 0; kind < COUNT(bits); kind++) {
        for (uint64_t channels = 1; channels <= 2; channels++) {
            begin(NULL);
            input.map = registers();
            for (uint64_t i = 0; i < 200; i++) {
                uint64_t addr = splitmix_next(&random_state) % (UINT64_C(1) << 34);

                add((addr & ~UINT64_C(0x107)) | i % channels << 8, bits[kind], 1, 0);
            }
            if (channels == 1)
                assert_kind(kind ? KIND_CHIP : KIND_PIN, KIND_SURE);
            else
                assert_kind(KIND_UNCLEAR, KIND_POSSIBLE);
        }
    }
}

/* As with lanes, a few of many words do not count. */
TEST(a_chip_stays_one_if_a_word_is_elsewhere, begin)
{
    input.map = registers();
    for (uint64_t i = 0; i < 200; i++) {
        uint64_t addr = splitmix_next(&random_state) % (UINT64_C(1) << 34);

        add((addr & ~UINT64_C(0x107)) | (uint64_t)(i == 0) << 8, UINT64_C(0x81) << 40, 1, 0);
    }
    assert_kind(KIND_CHIP, KIND_SURE);
}

TEST(faults_of_a_cpu_are_of_no_kind, begin)
{
    static const enum kind_cause causes[] = { KIND_CAUSE_OPEN, KIND_CAUSE_MEMORY, KIND_CAUSE_BOTH,
                                              KIND_CAUSE_CPU };

    for (size_t i = 0; i < COUNT(causes); i++) {
        struct kind_verdict v = { .kind = KIND_PIN,
                                  .confidence = KIND_SURE,
                                  .lane = { KIND_LANE_PIN, 3, 64 },
                                  .cause = { .is_known = true, .cause = causes[i] } };
        bool is_cpu = causes[i] == KIND_CAUSE_CPU;

        kind_take_cause(&v);
        assert_int_equal(v.kind, is_cpu ? KIND_UNCLEAR : KIND_PIN);
        assert_int_equal(v.confidence, is_cpu ? KIND_POSSIBLE : KIND_SURE);
        assert_int_equal(v.lane.what, is_cpu ? KIND_LANE_NONE : KIND_LANE_PIN);
    }
    verdict = (struct kind_verdict){ .cause = { .is_known = true, .cause = KIND_CAUSE_CPU } };
    kind_take_cause(&verdict);
    assert_int_equal(verdict.kind, KIND_NONE);
}

/* Of 32 pins: two beats in each word. */
TEST(one_pin_of_ddr5, begin)
{
    for (uint64_t i = 0; i < 32; i++)
        add(splitmix_next(&random_state) % (UINT64_C(1) << 34) & ~UINT64_C(7),
            UINT64_C(1) << (9 + (i & 1) * 32), 1, 0);
    assert_kind(KIND_PIN, KIND_SURE);
    assert_int_equal(verdict.lane.pin, 9);
    assert_int_equal(verdict.lane.bus_bits, 32);
}

TEST(one_lane_everywhere, begin)
{
    for (uint64_t i = 0; i < 200; i++)
        add(splitmix_next(&random_state) % (UINT64_C(1) << 34) & ~UINT64_C(7),
            (splitmix_next(&random_state) % 255 + 1) << 56, 1, 0);
    assert_kind(KIND_CHIP, KIND_SURE);
    assert_int_equal(kind_lane_number(&verdict.lane), 7);
    assert_int_equal(kind_lane_of(&verdict.lane), 8);
}

/* The log is full of one place, the sample is of all. */
TEST(the_sample_counts, begin)
{
    static struct fault sample[100];

    for (uint64_t i = 0; i < 1000; i++)
        add(i * 8, UINT64_C(0x11) << 8, 1, 0);
    assert_kind(KIND_ROW, KIND_SURE);
    for (size_t i = 0; i < 100; i++)
        sample[i] = (struct fault){ .addr = splitmix_next(&random_state) % (UINT64_C(1) << 34) &
                                            ~UINT64_C(7),
                                    .found = 0xff00 };
    input.sample = sample;
    input.n_sample = 100;
    assert_kind(KIND_CHIP, KIND_SURE);
}

TEST(other_places_each_time, begin)
{
    for (uint64_t i = 0; i < 40; i++) {
        uint64_t addr = splitmix_next(&random_state) % (UINT64_C(1) << 34) & ~UINT64_C(7);

        add(addr, UINT64_C(1) << splitmix_below(&random_state, 64), 1, 0);
        again(addr & ~UINT64_C(4095), 8, 0, false);
    }
    assert_kind(KIND_EVERYWHERE, KIND_SURE);
    assert_says(
        "40 of 40 words were wrong once only, in several byte lanes; 0 of 40 pages bad again");
}

/* A few words that were each wrong only once: bad cells, because their pages were bad again. */
TEST(the_same_places_again, begin)
{
    for (uint64_t i = 0; i < 15; i++) {
        add(i << 25, UINT64_C(1) << 4 * i, 1, 0);
        again(i << 25, 8, i < 4 ? 8 : 0, false);
    }
    assert_kind(KIND_CELLS, KIND_POSSIBLE);
    pages[3].failed = 0; /* now four fifths of the pages were good again */
    assert_kind(KIND_EVERYWHERE, KIND_LIKELY);
    pages[3].lost_data = true;
    assert_kind(KIND_CELLS, KIND_POSSIBLE);
}

TEST(two_addresses_of_the_same_cells, begin)
{
    add(0x5000000, ~UINT64_C(0), 1, 0);
    input.alias_pages = 4096;
    input.alias_bits = 0x2000000;
    assert_kind(KIND_ADDRESS_LINE, KIND_SURE);
    assert_says("4096 pages reach the cells of others, at addresses that differ in 0x2000000");
    input.alias_pages = 1;
    input.alias_bits = 0;
    assert_kind(KIND_ADDRESS_LINE, KIND_POSSIBLE);
    assert_says("1 page reaches the cells of another");
}

/* Whatever kind the rules find, it may be a device's. */
TEST(one_word_of_other_data, begin)
{
    add(0x5000000, 0x55551234, 1, 0);
    assert_kind(KIND_CELLS, KIND_POSSIBLE);
    assert_true(verdict.looks_written);
    input.n_bad_pages = 100;
    assert_kind(KIND_CELLS, KIND_POSSIBLE);
    assert_false(verdict.looks_written);
}

/* Words from one number to before another, so many in a row, the next of them 1 GiB higher. */
static void add_other_data(uint64_t from, uint64_t end, uint64_t words)
{
    for (uint64_t i = from; i < end; i++)
        add(i % words * 8 + (i / words << 30), splitmix_next(&random_state) | 0xffff, 1, 0);
}

/* As an address line's fault looks behind a scrambler. */
TEST(whole_lines_of_other_data, begin)
{
    add_other_data(0, 512, 256);
    again(0x5000000, 8, 4, false);
    assert_kind(KIND_ADDRESS_LINE, KIND_LIKELY);
    assert_says("100 % of 512 words are wrong in many bits, in line after line: data of other "
                "addresses, or none; 1 of 1 page bad again");
}

TEST(a_few_lines_of_other_data, begin)
{
    add_other_data(0, 15 * 8, 64);
    kind_find(&work, &input, &verdict);
    assert_int_not_equal(verdict.kind, KIND_ADDRESS_LINE);
    add_other_data(15 * 8, 16 * 8, 64);
    assert_kind(KIND_ADDRESS_LINE, KIND_POSSIBLE);
}

TEST(encrypted_bits_say_nothing, begin)
{
    for (uint64_t i = 0; i < 64; i++)
        add(i << 20, 1, 1, 0);
    input.is_encrypted = true;
    assert_kind(KIND_UNCLEAR, KIND_POSSIBLE);
    assert_int_equal(verdict.lane.what, KIND_LANE_NONE);
}

/* Those that were bad each time, now and then, or only after a wait; not those that were good. */
TEST(counts_the_pages_that_were_bad_again, begin)
{
    static const struct {
        uint32_t tries, failed;
        bool lost;
    } pages_again[] = { { 8, 8, false }, { 8, 8, false }, { 8, 3, false },
                        { 9, 1, true },  { 8, 0, false }, { 0, 0, false } };

    for (uint64_t i = 0; i < 6; i++) {
        uint64_t page = (5 + 16 * i) << 20;

        add(page + 8 * i, UINT64_C(1) << 7 * i, 2, 0);
        again(page, pages_again[i].tries, pages_again[i].failed, pages_again[i].lost);
    }
    assert_kind(KIND_CELLS, KIND_LIKELY);
    assert_non_null(strstr(verdict.evidence, "; 4 of 5 pages bad again"));
}

TEST(much_that_has_nothing_in_common, begin)
{
    for (uint64_t i = 0; i < 100; i++) {
        uint64_t addr = splitmix_next(&random_state) % (UINT64_C(1) << 34) & ~UINT64_C(7);

        add(addr, UINT64_C(1) << splitmix_below(&random_state, 64), 5, 0);
        again(addr & ~UINT64_C(4095), 8, 8, false);
    }
    assert_kind(KIND_UNCLEAR, KIND_POSSIBLE);
}

TEST(each_has_a_word_of_its_own)
{
    for (enum kind k = 0; k < KINDS; k++) {
        assert_true(*kind_name(k) && *kind_word(k));
        for (enum kind other = 0; other < k; other++)
            assert_true(strcmp(kind_word(k), kind_word(other)) != 0);
    }
    assert_string_equal(kind_word(KIND_ADDRESS_LINE), "address-line");
    assert_string_equal(kind_confidence_name(KIND_SURE), "sure");
    assert_string_equal(kind_confidence_name(KIND_POSSIBLE), "possible");
}

static void assert_appended(const struct kind_verdict *v, const char *wanted)
{
    char text[80];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    kind_append(v, &b);
    assert_string_equal(text, wanted);
}

TEST(what_is_not_clear_has_no_confidence)
{
    assert_appended(&(struct kind_verdict){ .kind = KIND_ROW, .confidence = KIND_SURE },
                    "sure: 1 to 4 rows (word lines)");
    assert_appended(&(struct kind_verdict){ .kind = KIND_UNCLEAR }, "not clear");
}

/* A word of its own, wrong in these bits. */
static void add_written(uint64_t rises, uint64_t falls)
{
    uint64_t addr = 0x1000 + 8 * input.n_records;

    record[input.n_records++] =
        (struct fault){ .addr = addr, .expected = falls, .found = rises, .pass = 1 };
    input.n_faults++;
    input.n_bad_pages = 1;
}

static bool looks_written(void)
{
    kind_find(&work, &input, &verdict);
    return verdict.looks_written;
}

/* OHCI's frame number: 16 bits that count, and 16 that are zero (OHCI 1.0a, 4.4). */
TEST(frame_number, begin)
{
    add_written(0x00001234, 0x55550000);
    assert_true(looks_written());
    record[0].expected = 0x00550000;
    assert_true(looks_written());
}

/* Each bit counts, for its own lane alone. */
TEST(each_bit_of_a_lane, begin)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        unsigned lane = bit / 8;
        uint64_t one = UINT64_C(1) << bit, next = UINT64_C(1) << (lane + 1) % 8 * 8;

        input.n_records = 0;
        add_written(one, next);
        assert_false(looks_written());
        input.n_records = 0;
        add_written(one | UINT64_C(0x80) << (lane + 6) % 8 * 8, next);
        assert_true(looks_written());
    }
}

TEST(what_one_chip_does, begin)
{
    add_written(0x00001234, 0); /* of 16 bits */
    assert_false(looks_written());
    add_written(0x80, 0);
    add_written(1, UINT64_C(1) << 63);
    assert_false(looks_written());
}

/* More than half of them. */
TEST(most_words, begin)
{
    add_written(0x010101, 0);
    add_written(1, 0);
    assert_false(looks_written());
    add_written(0, UINT64_C(0x8000000000010080));
    assert_true(looks_written());
}

TEST(few_pages, begin)
{
    add_written(UINT64_MAX, 0);
    input.n_bad_pages = 16;
    assert_true(looks_written());
    input.n_bad_pages++;
    assert_false(looks_written());
}

TEST(where_bits_say_nothing, begin)
{
    assert_false(looks_written()); /* no word */
    add_written(UINT64_MAX, 0);
    input.is_encrypted = true;
    assert_false(looks_written());
    input.is_encrypted = false;
    input.alias_pages = 1;
    assert_false(looks_written());
}
