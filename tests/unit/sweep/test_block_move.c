// SPDX-License-Identifier: MIT
#include "sweep/block_move.h"

#include "faulty_ops.h"
#include "memory.h"
#include "tests/host/cpu_features.h"

#define LINES        (SWEEP_SMALL_SLICE / sizeof(struct line))
#define GUARD_BYTES  4096
#define STEPS        6
#define BROKEN_VALUE UINT64_C(0x5eed0fa11600d)

/* A megabyte with guard pages around it, and in it the slice under test. */
static char *room;

static struct slice slice_at_start(uint64_t n_lines)
{
    return (struct slice){ (struct line *)(room + GUARD_BYTES), MEMORY_PHYS, n_lines };
}

static struct slice slice_at_end(uint64_t n_lines)
{
    return (struct slice){ (struct line *)(room + GUARD_BYTES) + LINES - n_lines, MEMORY_PHYS,
                           n_lines };
}

int group_set_up(void **state)
{
    room = mmap(NULL, SWEEP_SMALL_SLICE + 2 * GUARD_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                -1, 0);
    assert_true(room != MAP_FAILED);
    return mprotect(room + GUARD_BYTES, SWEEP_SMALL_SLICE, PROT_READ | PROT_WRITE);
}

/* What was reported: how often, and where. */
struct reported {
    size_t n;
    uint64_t lowest, highest, expected, found;
};

static void hear(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    struct reported *h = ctx;

    assert_int_not_equal(expected, found);
    h->lowest = !h->n || phys < h->lowest ? phys : h->lowest;
    h->highest = !h->n || phys > h->highest ? phys : h->highest;
    h->expected = expected;
    h->found = found;
    h->n++;
}

static struct reported run_with_faults(struct faulty *faulty, size_t n, const struct data *data,
                                       struct slice slice)
{
    struct reported reported = { 0 };
    struct sweep sweep = { .ops = &faulty_line_ops,
                           .faults = { .report = hear, .ctx = &reported } };

    faulty_ops = (struct faulty_ops){ .ops = &line_ops_sse2, .faulty = faulty, .n = n };
    block_move(&sweep, data, slice);
    assert_int_equal(faulty_ops.n_fills, STEPS);
    return reported;
}

static uint64_t phys_of(struct slice slice, const uint64_t *word)
{
    return slice.phys + (uint64_t)((const char *)word - (const char *)slice.virt);
}

static const uint64_t sizes[] = { 0,   1,   2,   3,    4,    127,       128,  129,
                                  255, 256, 257, 1024, 3001, LINES - 1, LINES };

TEST(good_memory_passes)
{
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n_ops = memory_tables(ops);
    struct data data[] = { data_random(77), data_address(5) };

    for (size_t i = 0; i < n_ops * COUNT(data) * COUNT(sizes); i++) {
        struct reported reported = { 0 };
        uint64_t n = sizes[i / COUNT(data) / n_ops];
        struct sweep sweep = {
            .ops = ops[i % n_ops],
            .has_clflushopt = i & 1 && host_has_clflushopt(),
            .faults = { .report = hear, .ctx = &reported },
        };

        block_move(&sweep, &data[i / n_ops % COUNT(data)], slice_at_start(n));
        block_move(&sweep, &data[i / n_ops % COUNT(data)], slice_at_end(n));
        assert_int_equal(reported.n, 0);
    }
}

/* Nothing outside the slice is written. */
TEST(stays_in_the_slice)
{
    struct reported reported = { 0 };
    struct sweep sweep = { .ops = &line_ops_sse2, .faults = { .report = hear, .ctx = &reported } };
    struct data data = data_random(1);
    struct slice whole = slice_at_start(LINES), part = whole;

    part.virt += 3;
    part.n_lines = 300;
    memset(whole.virt, 0xa7, SWEEP_SMALL_SLICE);
    block_move(&sweep, &data, part);
    for (uint64_t i = 0; i < 400; i++) {
        bool inside = i - 3 < 300;

        assert_int_equal(whole.virt[i].word[0] == 0xa7a7a7a7a7a7a7a7, !inside);
        assert_int_equal(whole.virt[i].word[7] == 0xa7a7a7a7a7a7a7a7, !inside);
    }
}

/* After the last step the lower block of each pair holds what the upper one does. */
TEST(blocks_are_moved)
{
    struct reported reported = { 0 };
    struct sweep sweep = { .ops = &line_ops_sse2, .faults = { .report = hear, .ctx = &reported } };
    struct data data = data_random(1);
    struct slice slice = slice_at_start(600);

    block_move(&sweep, &data, slice);
    for (uint64_t i = 0; i < slice.n_lines * 8; i++) {
        uint64_t line = i / 8, pair = line / 256 * 256, half = pair == 512 ? 44 : 128;
        uint64_t from = line - pair < half ? line + half : line;

        assert_int_equal(slice.virt[line].word[i % 8],
                         data_word(&data, slice.phys + from * 64 + i % 8 * 8));
    }
}

/* Ends of slices and blocks, and what chance brings. */
static uint64_t some_line(size_t i, uint64_t n_lines, uint64_t *prng)
{
    const uint64_t at[] = {
        0, 1, 127, 128, n_lines / 2 - 1, n_lines / 2, n_lines - 2, n_lines - 1
    };

    return i < COUNT(at) ? at[i] : memory_chance(prng) % n_lines;
}

/* Each polarity of data comes to each cell, both as a source and as a destination: found always. */
TEST(stuck_bits_are_reported_where_they_are)
{
    static const uint64_t n_lines[] = { 130, 1024, 5000, LINES };
    struct data data = data_random(3);
    uint64_t prng = 1;

    for (size_t i = 0; i < 20 * COUNT(n_lines); i++) {
        struct slice slice = slice_at_start(n_lines[i / 20]);
        struct line *line = slice.virt + some_line(i % 20, slice.n_lines, &prng);
        struct faulty faulty = {
            .word = &line->word[memory_chance(&prng) % 8],
            .bit = UINT64_C(1) << memory_chance(&prng) % 64,
            .kind = i & 1 ? FAULTY_STUCK1 : FAULTY_STUCK0,
        };
        struct reported reported = run_with_faults(&faulty, 1, &data, slice);

        assert_int_not_equal(reported.n, 0);
        assert_int_equal(reported.lowest, phys_of(slice, faulty.word));
        assert_int_equal(reported.highest, reported.lowest);
        assert_int_equal(reported.expected ^ reported.found, faulty.bit);
    }
}

/* All faulty cells of a regular run are reported, also where one is moved onto another; nothing
 * else. */
static struct faulty *run_faulty;
static size_t n_run_faulty;
static struct slice run_slice;
static bool run_seen[LINES];

static void hear_run(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    size_t i;

    for (i = 0; i < n_run_faulty && phys_of(run_slice, run_faulty[i].word) != phys; i++)
        ;
    assert_true(i < n_run_faulty);
    assert_int_equal(expected ^ found, run_faulty[i].bit);
    run_seen[i] = true;
}

TEST(a_run_of_holes_is_told_hole_by_hole)
{
    static const uint64_t strides[] = { 1, 2, 64, 100, 128, 1024, LINES / 2 };
    static struct faulty faulty[LINES];
    struct data data = data_random(9);
    struct sweep sweep = { .ops = &faulty_line_ops, .faults = { .report = hear_run, .ctx = NULL } };

    run_faulty = faulty;
    for (size_t s = 0; s < COUNT(strides); s++) {
        run_slice = slice_at_start(strides[s] < 64 ? 600 : LINES);
        n_run_faulty = 0;
        for (uint64_t l = 0; l < run_slice.n_lines; l += strides[s])
            faulty[n_run_faulty++] = (struct faulty){ &run_slice.virt[l].word[2], .bit = 1 << 9 };
        memset(run_seen, 0, sizeof(run_seen));
        faulty_ops =
            (struct faulty_ops){ .ops = &line_ops_sse2, .faulty = faulty, .n = n_run_faulty };
        block_move(&sweep, &data, run_slice);
        for (size_t i = 0; i < n_run_faulty; i++)
            assert_true(run_seen[i]);
    }
}

/*
 * A cell that fails with one value only: the one that it has of its own, or one that is moved to
 * it. Partner: the line that lies so far above it in a pair.
 */
TEST(holes_of_one_value)
{
    static const struct {
        uint64_t line, value_of;
        bool complement;
    } cases[] = {
        { 0, 0, false },         { 0, 8192, false }, { 8192, 0, false }, { 16383, 8191, false },
        { 5, 5, true },          { 5, 1029, true },  { 1029, 5, true },  { 16383, 15359, true },
        { 7, 135, false },       { 135, 7, false },  { 300, 300, true }, { 8191, 16383, false },
        { 16383, 16255, false },
    };
    struct slice slice = slice_at_start(LINES);
    struct data data = data_random(4);

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct faulty faulty = {
            .word = &slice.virt[cases[i].line].word[6],
            .bit = UINT64_C(1) << 63,
            .trigger = memory_expected(&data, cases[i].complement,
                                       slice.phys + cases[i].value_of * 64 + 48),
            .kind = FAULTY_ONE_VALUE,
        };
        struct reported reported = run_with_faults(&faulty, 1, &data, slice);

        assert_in_range(reported.n, 1, 2 * STEPS);
        assert_int_equal(reported.lowest, phys_of(slice, faulty.word));
        assert_int_equal(reported.highest, reported.lowest);
        assert_int_equal(reported.expected, faulty.trigger);
        assert_int_equal(reported.found, faulty.trigger ^ faulty.bit);
    }
}

/*
 * The hardest to place: a cell that reads wrong only while another one holds a 1. When that one is
 * a destination, the source has read wrong in the move and reads right ever after.
 */
TEST(a_source_that_recovers_is_still_the_one)
{
    struct slice slice = slice_at_start(LINES);
    struct data data = data_random(8);
    uint64_t prng = 2;
    unsigned n_found = 0;

    for (size_t i = 0; i < 60; i++) {
        struct faulty faulty = {
            .word = &slice.virt[some_line(i, LINES, &prng)].word[3],
            .other = &slice.virt[memory_chance(&prng) % LINES].word[4],
            .bit = UINT64_C(1) << i,
            .kind = FAULTY_READS_WRONG,
        };
        struct reported reported = run_with_faults(&faulty, 1, &data, slice);

        n_found += reported.n > 0;
        if (reported.n) {
            assert_int_equal(reported.lowest, phys_of(slice, faulty.word));
            assert_int_equal(reported.highest, reported.lowest);
        }
    }
    assert_in_range(n_found, 50, 60);
}

/* A read that gives the right value and sets the bit: the move then takes a wrong one. */
TEST(a_source_that_a_read_spoils_is_the_one)
{
    struct slice slice = slice_at_start(LINES);
    struct data data = data_random(8);
    uint64_t prng = 3;

    for (size_t i = 0; i < 20; i++) {
        struct faulty faulty = {
            .word = &slice.virt[some_line(i, LINES, &prng)].word[i % 8],
            .bit = UINT64_C(1) << i,
            .kind = FAULTY_READ_SETS,
        };
        struct reported reported = run_with_faults(&faulty, 1, &data, slice);

        assert_int_not_equal(reported.n, 0);
        assert_int_equal(reported.lowest, phys_of(slice, faulty.word));
        assert_int_equal(reported.highest, reported.lowest);
    }
}

/* A faulty cell in a source line hides nothing that its neighbours' destinations show. */
TEST(only_the_copy_of_a_wrong_line_is_not_judged)
{
    struct slice slice = slice_at_start(LINES);
    struct data data = data_random(4);
    struct faulty faulty[] = {
        { .word = &slice.virt[63].word[0], .bit = 1, .kind = FAULTY_STUCK0 },
        {
            .word = &slice.virt[8192 + 62].word[0],
            .bit = 2,
            .trigger = data_word(&data, slice.phys + 62 * 64),
            .kind = FAULTY_ONE_VALUE,
        },
    };
    struct reported reported = run_with_faults(faulty, 2, &data, slice);

    assert_int_equal(reported.lowest, phys_of(slice, faulty[0].word));
    assert_int_equal(reported.highest, phys_of(slice, faulty[1].word));
}

/* A value that arrives wrong from a good source is the destination's. */
static uint64_t *spoiled;

static void spoil_moved(const struct line_run *run, const struct data *data, bool complement,
                        const struct line_faults *faults)
{
    uint64_t own =
        data_word(data, MEMORY_PHYS + (uint64_t)((char *)spoiled - (char *)room) - GUARD_BYTES);

    if (*spoiled != own && *spoiled != ~own && *spoiled != BROKEN_VALUE)
        *spoiled = BROKEN_VALUE;
    line_ops_sse2.verify(run, data, complement, faults);
}

TEST(what_a_move_breaks_is_reported_where_it_broke)
{
    struct slice slice = slice_at_start(LINES);
    struct line_ops ops = line_ops_sse2;
    struct data data = data_random(6);
    static const uint64_t at[] = { 0, 1, 127, 128, 4000, 8191, 8192, LINES - 1 };

    ops.verify = spoil_moved;
    for (size_t i = 0; i < COUNT(at); i++) {
        struct reported reported = { 0 };
        struct sweep sweep = { .ops = &ops, .faults = { .report = hear, .ctx = &reported } };

        spoiled = &slice.virt[at[i]].word[i];
        memset(slice.virt, 0, SWEEP_SMALL_SLICE);
        block_move(&sweep, &data, slice);
        assert_int_equal(reported.n, STEPS / 2); /* it is a destination in every other step */
        assert_int_equal(reported.lowest, phys_of(slice, spoiled));
        assert_int_equal(reported.highest, reported.lowest);
        assert_int_equal(reported.found, BROKEN_VALUE);
    }
}
