// SPDX-License-Identifier: MIT
#include "sweep/order.h"

#include "sweep/engine.h"
#include "tests/unit/unit.h"

static const uint32_t all_sections[] = { 64, 256, 1024 };

static const struct {
    uint32_t n_workers, n_rounds;
} cases[] = {
    { 1, 1 },  { 1, 2 },  { 1, 7 },   { 2, 1 },    { 2, 2 },   { 3, 2 },
    { 4, 2 },  { 4, 3 },  { 5, 3 },   { 9, 3 },    { 10, 3 },  { 64, 2 },
    { 64, 7 }, { 65, 7 }, { 100, 2 }, { 128, 10 }, { 512, 2 },
};

static struct order by_rounds(uint32_t n_workers, uint32_t round, uint32_t n_rounds,
                              uint32_t n_sections)
{
    return (struct order){
        .n_workers = n_workers,
        .round = round,
        .n_rounds = n_rounds,
        .n_sections = n_sections,
    };
}

static uint32_t step_of(struct order o, uint32_t worker, uint32_t section, bool down)
{
    for (uint32_t late = 0; late <= order_steps(o) - o.n_sections; late++) {
        uint32_t step = (down ? o.n_sections - 1 - section : section) + late, s;

        if (order_section(o, worker, step, down, &s) && s == section)
            return step;
    }
    fail_msg("worker %u never does section %u", worker, section);
    return 0;
}

/* Each section once, in the order of the addresses, and down is up in reverse. */
static void sections_are_done_once(uint32_t n_workers, uint32_t n_rounds, uint32_t n_sections)
{
    for (uint32_t r = 0; r < n_rounds; r++) {
        struct order o = by_rounds(n_workers, r, n_rounds, n_sections);

        for (uint32_t w = 0; w < o.n_workers; w++) {
            uint32_t next = 0, left = n_sections;

            for (uint32_t step = 0; step < order_steps(o); step++) {
                uint32_t s = 0, mirrored = 0;
                bool up = order_section(o, w, step, false, &s);
                bool down = order_section(o, w, order_steps(o) - 1 - step, true, &mirrored);

                assert_int_equal(up, down);
                assert_int_equal(s, mirrored);
                if (up)
                    assert_int_equal(s, next++);
                left -= up;
            }
            assert_int_equal(left, 0);
        }
        if (r == 0)
            assert_int_equal(order_steps(o), n_sections);
    }
}

TEST(every_section_is_done_once)
{
    for (size_t c = 0; c < COUNT(cases); c++) {
        sections_are_done_once(cases[c].n_workers, cases[c].n_rounds, 64);
        if (cases[c].n_workers < 64)
            sections_are_done_once(cases[c].n_workers, cases[c].n_rounds, 512);
    }
}

/* By the definition of order_ahead: what is nearer in steps has no order. */
static bool are_ordered(struct order o, uint32_t a, uint32_t i, uint32_t b, uint32_t j)
{
    uint32_t x = step_of(o, a, i, false), y = step_of(o, b, j, false);

    return (x > y ? x - y : y - x) >= order_ahead(o);
}

static void are_ordered_in_some_round(struct order o, uint32_t a, uint32_t i, uint32_t b,
                                      uint32_t j)
{
    bool ordered = false;

    for (o.round = 0; o.round < o.n_rounds && !ordered; o.round++)
        ordered = are_ordered(o, a, i, b, j);
    assert_true(ordered);
}

/* Sections that the first round does not order, at both ends. Farther ones are ordered there. */
static void near_sections_are_ordered(struct order o, uint32_t a, uint32_t b)
{
    int ahead = (int)order_ahead(o);

    for (int apart = -ahead; apart <= ahead; apart++) {
        are_ordered_in_some_round(o, a, 8, b, (uint32_t)(8 + apart));
        are_ordered_in_some_round(o, a, o.n_sections - 9, b,
                                  (uint32_t)((int)o.n_sections - 9 + apart));
    }
}

/* In a test of two rounds or more. */
TEST(any_two_sections_are_ordered_in_some_round)
{
    for (size_t c = 0; c < COUNT(cases); c++) {
        for (size_t k = 0; k < COUNT(all_sections); k++) {
            struct order o = by_rounds(cases[c].n_workers, 0, cases[c].n_rounds, all_sections[k]);
            uint32_t stride = o.n_workers > 16 ? o.n_workers / 7 : 1;

            for (uint32_t a = 0; o.n_rounds > 1 && a < o.n_workers; a += stride) {
                for (uint32_t b = a + 1; b < o.n_workers; b += stride)
                    near_sections_are_ordered(o, a, b);
            }
        }
    }
}

static void all_pairs_are_ordered(struct order o)
{
    for (uint32_t i = 0; i < o.n_sections; i++) {
        for (uint32_t j = 0; j < o.n_sections; j++) {
            for (uint32_t a = 0; a < o.n_workers; a++) {
                for (uint32_t b = a + 1; b < o.n_workers; b++)
                    are_ordered_in_some_round(o, a, i, b, j);
            }
        }
    }
}

/* All there are, of few workers. */
TEST(every_two_sections_are_ordered)
{
    for (uint32_t n_workers = 2; n_workers <= 3; n_workers++) {
        for (uint32_t n_rounds = 2; n_rounds <= 3; n_rounds++)
            all_pairs_are_ordered(by_rounds(n_workers, 0, n_rounds, 256));
    }
}

/* How far CPUs may be ahead of each other is bought by the number of sections. */
TEST(ahead_grows_with_the_sections)
{
    assert_int_equal(order_ahead(by_rounds(2, 0, 2, 64)), 1);
    assert_int_equal(order_ahead(by_rounds(2, 0, 2, 256)), ORDER_AHEAD_MAX);
    assert_int_equal(order_ahead(by_rounds(4, 0, 23, 64)), ORDER_AHEAD_MAX);
    assert_int_equal(order_ahead(by_rounds(2, 0, 1, 256)), 3);
    assert_int_equal(order_ahead(by_rounds(2, 1, 2, 512)), ORDER_AHEAD_MAX);
    assert_int_equal(order_ahead(by_rounds(64, 1, 2, 512)), 1);
    assert_int_equal(order_ahead(by_rounds(64, 1, 7, 512)), ORDER_AHEAD_MAX);
    assert_int_equal(order_ahead(by_rounds(64, 1, 2, 32768)), ORDER_AHEAD_MAX);
}

/* Beginning late costs a forty-eighth of all rounds where they can tell workers apart, not more. */
TEST(late_workers_cost_little)
{
    static const struct {
        uint32_t n_workers, n_rounds;
    } costs[] = { { 2, 2 }, { 4, 23 }, { 64, 7 }, { 128, 23 }, { 1, 4 } };

    for (size_t i = 0; i < COUNT(costs); i++) {
        for (uint32_t n = 128; n <= 32768; n *= 2) {
            uint32_t n_rounds = costs[i].n_rounds, late = 0;

            for (uint32_t round = 0; round < n_rounds; round++)
                late += order_steps(by_rounds(costs[i].n_workers, round, n_rounds, n)) - n;
            if (order_ahead(by_rounds(costs[i].n_workers, 0, n_rounds, n)) > 1)
                assert_true(late <= n * n_rounds / 48);
        }
    }
}

/* 1: a's section is done before b's; -1: after it; 0: in no order. */
static int order_of(struct order o, uint32_t a, uint32_t section_a, uint32_t b, uint32_t section_b)
{
    bool down = o.leg % 2;
    uint32_t x = step_of(o, a, section_a, down), y = step_of(o, b, section_b, down);
    uint32_t ahead = order_ahead(o);

    return (x + ahead <= y) - (y + ahead <= x);
}

/* Of the legs up, down and up, though two sections may be in no order in one of them. */
static void are_in_either_order(struct order o, uint32_t a, uint32_t i, uint32_t b, uint32_t j)
{
    bool before = false, after = false;

    for (o.leg = 0; o.leg < ORDER_LEGS; o.leg++) {
        int order = order_of(o, a, i, b, j);

        before |= order > 0;
        after |= order < 0;
    }
    assert_true(before && after);
}

TEST(any_two_sections_are_in_either_order_in_some_turn)
{
    static const uint32_t workers[] = { 2, 3, 7, 64 };

    for (size_t i = 0; i < COUNT(workers) * COUNT(all_sections); i++) {
        struct order o = {
            .n_workers = workers[i % COUNT(workers)],
            .n_rounds = 1,
            .n_legs = ORDER_LEGS,
            .n_sections = all_sections[i / COUNT(workers)],
        };
        uint32_t stride = o.n_workers > 7 ? 21 : 1;

        for (uint32_t b = 1; b < o.n_workers; b += stride) {
            for (uint32_t other = 0; other < o.n_sections; other++)
                are_in_either_order(o, b / 2, o.n_sections / 2, b, other);
        }
    }
}

TEST(turns_beyond_those_needed_are_in_step)
{
    struct order o = { .n_workers = 9, .n_rounds = 1, .leg = 3, .n_legs = 4, .n_sections = 64 };

    assert_int_equal(order_ahead(o), 1);
    assert_int_equal(order_steps(o), 64);
    assert_int_equal(order_lanes(o), ORDER_LEG_LANES);
    o.leg = 0;
    assert_int_equal(order_steps(o), 64 + 8);
    o.n_legs = 2;
    assert_int_equal(order_steps(o), 64);
}

static enum order_lanes lanes_of(uint32_t round, uint32_t n_rounds, uint32_t leg, uint32_t n_legs)
{
    return order_lanes((struct order){ 4, round, n_rounds, leg, n_legs, 64 });
}

TEST(lanes_go_by_rounds_or_turns)
{
    assert_int_equal(lanes_of(0, 1, 0, 1), ORDER_ONLY_LANES);
    assert_int_equal(lanes_of(0, 1, 1, 2), ORDER_ONLY_LANES);
    assert_int_equal(lanes_of(0, 2, 0, 2), ORDER_LINES);
    assert_int_equal(lanes_of(1, 2, 1, 2), ORDER_LANES);
    assert_int_equal(lanes_of(6, 7, 0, 2), ORDER_LINES);
    assert_int_equal(lanes_of(2, 4, 0, 1), ORDER_LINES);
    assert_int_equal(lanes_of(3, 4, 0, 1), ORDER_LANES);
    assert_int_equal(lanes_of(0, 1, 0, 3), ORDER_LEG_LINES);
    assert_int_equal(lanes_of(0, 1, 1, 3), ORDER_LEG_LANES);
    assert_int_equal(lanes_of(1, 2, 2, 3), ORDER_LEG_EARLY);
}

/* How the lines of a slice are ordered, by the runs that a sequence gets. */
static struct {
    uint64_t first[ORDER_LEGS], n_lines[ORDER_LEGS], n_lanes[ORDER_LEGS], window[ORDER_LEGS];
    int64_t early[ORDER_LEGS];
    size_t round, n;
} orders;

static void note_order(const struct line_run *run, const struct data *data,
                       const struct line_sequence *sequence, const struct line_faults *faults)
{
    if (orders.n++) /* what the lanes leave over, if anything, is done line by line */
        assert_int_equal(sequence->window, 1);
    else {
        orders.first[orders.round] = run->phys / sizeof(struct line);
        orders.n_lines[orders.round] = run->n_lines;
        orders.n_lanes[orders.round] = sequence->n_lanes;
        orders.window[orders.round] = sequence->window;
        orders.early[orders.round] = sequence->early;
    }
}

/* Whether the lines have their legs so close to each other that they are in no order. */
static bool close(size_t round, uint64_t a, uint64_t b)
{
    uint64_t length = orders.n_lines[round] / orders.n_lanes[round];
    int64_t x, y;

    if (a >= orders.n_lines[round] || b >= orders.n_lines[round])
        return false;
    x = (int64_t)(a % length * orders.n_lanes[round] + a / length);
    y = (int64_t)(b % length * orders.n_lanes[round] + b / length);
    return (uint64_t)(x < y ? y - x : x - y) < orders.window[round];
}

static const uint64_t all_sizes[] = { SWEEP_SLICE_BYTES / sizeof(struct line), 20000, 2060, 300 };
static struct line memory[SWEEP_SLICE_BYTES / sizeof(struct line)];

static void sweep_memory(struct order order, uint64_t n_lines)
{
    static const struct line_ops noting = { .sequence = note_order };
    const struct march_element e = { .kind = MARCH_UP, .n_ops = 3 };
    struct sweep sweep = { .ops = &noting, .lanes = order_lanes(order) };
    struct data data = data_background(0);

    orders.n = 0;
    sweep_element(&sweep, &e, &data, (struct slice){ memory, 0, n_lines });
    assert_int_equal(orders.first[orders.round], 0);
}

/*
 * Whether a line is to be tried. Of many lanes: the first two, two in the middle, and the last two,
 * because only their places in their lanes, and whether it is one lane, say what is between two
 * lines.
 */
static bool is_tried(uint64_t line)
{
    uint64_t n = orders.n_lanes[1], lane = line / (orders.n_lines[1] / n);

    return n < 100 || lane < 2 || lane >= n - 2 || lane == n / 2 || lane == n / 2 + 1;
}

/* No two lines of a slice, large or small, are close in both kinds of rounds. */
TEST(any_two_lines_of_a_slice_are_ordered_in_some_round)
{
    for (size_t i = 0; i < COUNT(all_sizes); i++) {
        for (orders.round = 0; orders.round < 2; orders.round++)
            sweep_memory(by_rounds(1, (uint32_t)orders.round, 2, 64), all_sizes[i]);
        assert_true(orders.window[0] * orders.window[1] * 5 / 4 > all_sizes[i]);
        assert_true(orders.window[0] > 7 * orders.window[1]);
        for (uint64_t a = 0; a < all_sizes[i]; a++) {
            for (uint64_t b = a + 1; is_tried(a) && b < all_sizes[i] && b - a < orders.window[0];
                 b++)
                assert_false(close(0, a, b) && close(1, a, b));
        }
    }
    assert_true(close(0, 5, 5 + orders.window[0] - 1));
    assert_false(close(0, 5, 5 + orders.window[0]));
}

/* Of the lanes of the legs, of the given number of lines each. */
struct place {
    int64_t lane, row;
};

/* 1: line a is done before line b; -1: after it; 0: in no order. */
static int leg_order(uint32_t leg, int64_t length, struct place a, struct place b)
{
    int64_t n = (int64_t)orders.n_lanes[leg], early = orders.early[leg];
    int64_t x = (a.row - early * a.lane) * n + a.lane, y = (b.row - early * b.lane) * n + b.lane;
    int64_t window = (int64_t)orders.window[leg], after;

    if (orders.n_lanes[leg] == orders.n_lines[leg]) {
        x = a.lane * length + a.row;
        y = b.lane * length + b.row;
    }
    after = leg % 2 ? x - y : y - x;
    return (after >= window) - (after <= -window);
}

static void are_in_either_order_in_some_turn(int64_t length, struct place a, struct place b)
{
    bool before = false, after = false;

    for (uint32_t leg = 0; leg < ORDER_LEGS; leg++) {
        int order = leg_order(leg, length, a, b);

        before |= order > 0;
        after |= order < 0;
    }
    assert_true(before && after);
}

/* Any line of a lane and some of the lowest one: in the middle, and at both ends. */
static void lanes_are_in_either_order_in_some_turn(int64_t apart, int64_t length)
{
    const int64_t rows[] = { 0, 1, length / 3, length / 2, length - 2, length - 1 };

    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int64_t row = 0; row < length; row++) {
            if (apart || row != rows[i])
                are_in_either_order_in_some_turn(length, (struct place){ 0, rows[i] },
                                                 (struct place){ apart, row });
        }
    }
}

TEST(any_two_lines_of_a_slice_are_in_either_order_in_some_turn)
{
    for (size_t i = 0; i < COUNT(all_sizes); i++) {
        for (orders.round = 0; orders.round < ORDER_LEGS; orders.round++)
            sweep_memory((struct order){ 1, 0, 1, (uint32_t)orders.round, ORDER_LEGS, 64 },
                         all_sizes[i]);
        assert_int_equal(orders.n_lanes[0], all_sizes[i]);
        assert_int_equal(orders.n_lanes[2], orders.n_lanes[1]);
        assert_int_equal(orders.n_lines[2], orders.n_lines[1]);
        assert_true(orders.early[1] == 0 && orders.early[2] > 1);
        for (uint64_t apart = 0; apart < orders.n_lanes[1]; apart++)
            lanes_are_in_either_order_in_some_turn(
                (int64_t)apart, (int64_t)(orders.n_lines[1] / orders.n_lanes[1]));
    }
    assert_true(orders.window[0] < 100); /* of a small slice; of a large one: */
    sweep_memory((struct order){ 1, 0, 1, 0, ORDER_LEGS, 64 }, all_sizes[orders.round = 0]);
    assert_true(orders.window[0] > 4000);
}

/* Workers that begin late need many sections, lanes need large ones: a slice each, at most. */
TEST(large_ones_for_lanes_and_more_for_many_workers)
{
    assert_int_equal(order_sections(8192 * MIB, 1, true, true), 64);
    assert_int_equal(order_sections(8192 * MIB, 16, true, true), 128);
    assert_int_equal(order_sections(8192 * MIB, 1024, true, true), 2048);
    assert_int_equal(order_sections(256 * MIB, 2, true, true), ORDER_SECTIONS_MIN);
    assert_int_equal(order_sections(0, 2, true, true), ORDER_SECTIONS_MIN);
    assert_int_equal(order_sections(UINT64_C(1) << 40, 2, true, true), 8192);
}

TEST(small_ones_without_lanes)
{
    assert_int_equal(order_sections(8192 * MIB, 1, false, true), 4096);
    assert_int_equal(order_sections(8192 * MIB, 1024, false, true), 4096);
    assert_int_equal(order_sections(14 * MIB, 2, false, true), ORDER_SECTIONS_MIN);
    assert_int_equal(order_sections(UINT64_C(1) << 40, 1, false, true), ORDER_SECTIONS_MAX);
}

/* In little memory a coupling between two workers' lines was missed where there were few. */
TEST(many_where_not_all_lines_are_ordered)
{
    for (uint64_t bytes = 1 * MIB; bytes <= 64 * MIB; bytes *= 2) {
        assert_int_equal(order_sections(bytes, 2, false, false), 64);
        assert_int_equal(order_sections(bytes, 2, true, false), 64);
    }
    assert_int_equal(order_sections(8192 * MIB, 1, false, false), 4096);
    assert_int_equal(order_sections(8192 * MIB, 16, true, false), 128);
    assert_int_equal(order_sections(4096, 2, false, false), 64);
    assert_int_equal(order_sections(0, 2, false, false), ORDER_SECTIONS_MIN);
}
