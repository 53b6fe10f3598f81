// SPDX-License-Identifier: MIT
#include "sweep/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sweep/engine.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    uint32_t n_workers, n_rounds;
} cases[] = {
    { 1, 1 },  { 1, 2 },  { 1, 7 },   { 2, 1 },    { 2, 2 },   { 3, 2 },
    { 4, 2 },  { 4, 3 },  { 5, 3 },   { 9, 3 },    { 10, 3 },  { 64, 2 },
    { 64, 7 }, { 65, 7 }, { 100, 2 }, { 128, 10 }, { 512, 2 },
};

static uint32_t step_of(struct order o, uint32_t worker, uint32_t section, bool down)
{
    for (uint32_t step = 0; step < order_steps(o); step++) {
        uint32_t s;

        if (order_section(o, worker, step, down, &s) && s == section)
            return step;
    }
    fail_msg("worker %u never does section %u", worker, section);
    return 0;
}

/* Each section once, in the order of the addresses, and down is up in reverse. */
static void every_section_is_done_once(void **state)
{
    for (size_t c = 0; c < COUNT(cases); c++) {
        for (uint32_t r = 0; r < cases[c].n_rounds; r++) {
            struct order o = { .n_workers = cases[c].n_workers,
                               .round = r,
                               .n_rounds = cases[c].n_rounds };

            for (uint32_t w = 0; w < o.n_workers; w++) {
                uint32_t next = 0, left = ORDER_SECTIONS;

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
                assert_int_equal(order_steps(o), ORDER_SECTIONS);
        }
    }
}

/* In a test of two rounds or more, two CPUs' sections are in different steps of some round. */
static void any_two_sections_are_ordered_in_some_round(void **state)
{
    for (size_t c = 0; c < COUNT(cases); c++) {
        uint32_t n = cases[c].n_workers, sections[] = { 0, 1, ORDER_SECTIONS - 1 };

        for (uint32_t a = 0; cases[c].n_rounds > 1 && a < n; a++) {
            for (uint32_t b = a + 1; b<n; b += n> 100 ? 7 : 1) {
                for (size_t i = 0; i < COUNT(sections); i++) {
                    bool ordered = false;

                    for (uint32_t r = 0; r < cases[c].n_rounds && !ordered; r++) {
                        struct order o = {
                            .n_workers = n,
                            .round = r,
                            .n_rounds = cases[c].n_rounds,
                        };

                        ordered =
                            step_of(o, a, sections[i], false) != step_of(o, b, sections[i], false);
                    }
                    assert_true(ordered);
                }
            }
        }
    }
}

/* 1: a's section is done before b's; -1: after it; 0: in the same step. */
static int order_of(struct order o, uint32_t a, uint32_t section_a, uint32_t b, uint32_t section_b)
{
    bool down = o.turn % 2;
    uint32_t x = step_of(o, a, section_a, down), y = step_of(o, b, section_b, down);

    return (x < y) - (x > y);
}

/* Of the turns up, down and up, though two sections may be in the same step in one of them. */
static void any_two_sections_are_in_either_order_in_some_turn(void **state)
{
    static const uint32_t workers[] = { 2, 3, 7, 64, 255 };

    for (size_t i = 0; i < COUNT(workers); i++) {
        uint32_t n = workers[i], b_step = n > 7 ? n / 3 : 1;

        for (uint32_t b = 1; b < n; b += b_step) {
            for (uint32_t pair = 0; pair < ORDER_SECTIONS * ORDER_SECTIONS; pair += 3) {
                uint32_t x = pair / ORDER_SECTIONS, y = pair % ORDER_SECTIONS;
                bool before = false, after = false;

                for (uint32_t turn = 0; turn < ORDER_TURNS; turn++) {
                    struct order o = {
                        .n_workers = n, .n_rounds = 1, .turn = turn, .n_turns = ORDER_TURNS
                    };
                    int order = order_of(o, b / 2, x, b, y);

                    before |= order > 0;
                    after |= order < 0;
                }
                assert_true(before && after);
            }
        }
    }
}

static void turns_beyond_those_needed_are_in_step(void **state)
{
    struct order o = { .n_workers = 9, .n_rounds = 1, .turn = 3, .n_turns = 4 };

    assert_int_equal(order_steps(o), ORDER_SECTIONS);
    assert_int_equal(order_lanes(o), ORDER_LANES);
    o.turn = 0;
    assert_int_equal(order_steps(o), ORDER_SECTIONS + 8);
    o.n_turns = 2;
    assert_int_equal(order_steps(o), ORDER_SECTIONS);
}

static enum order_lanes lanes_of(uint32_t round, uint32_t n_rounds, uint32_t turn, uint32_t n_turns)
{
    return order_lanes((struct order){ 4, round, n_rounds, turn, n_turns });
}

static void a_single_round_of_two_turns_has_one_lane(void **state)
{
    assert_int_equal(lanes_of(0, 1, 0, 1), ORDER_ONE_LANE);
    assert_int_equal(lanes_of(0, 1, 1, 2), ORDER_ONE_LANE);
    assert_int_equal(lanes_of(0, 2, 0, 2), ORDER_LANES);
    assert_int_equal(lanes_of(1, 2, 1, 2), ORDER_OTHER_LANES);
    assert_int_equal(lanes_of(6, 7, 0, 2), ORDER_LANES);
    assert_int_equal(lanes_of(0, 1, 0, 3), ORDER_LANES_LATE);
    assert_int_equal(lanes_of(0, 1, 1, 3), ORDER_LANES);
    assert_int_equal(lanes_of(1, 2, 2, 3), ORDER_LANES_EARLY);
}

/* Which lines of a slice a sequence does in one step: by the run that it gets, a lane apart. */
static struct {
    uint64_t length[ORDER_TURNS]; /* of lanes, by the round or turn */
    int skew[ORDER_TURNS];
    size_t round;
} lanes;

static void note_lanes(const struct line_run *run, const struct data *data,
                       const struct line_sequence *sequence, const struct line_faults *faults)
{
    if (sequence->n_lanes == 1)
        return;
    lanes.length[lanes.round] = run->n_lines / sequence->n_lanes;
    lanes.skew[lanes.round] = sequence->skew;
}

static struct line memory[SWEEP_SLICE_BYTES / sizeof(struct line)];

static void sweep_memory(struct order order)
{
    static const struct line_ops noting = { .sequence = note_lanes };
    const struct march_element e = { .kind = MARCH_UP, .n_ops = 3 };
    struct sweep sweep = { .ops = &noting, .lanes = order_lanes(order) };
    struct data data = data_background(0);

    sweep_element(&sweep, &e, &data, (struct slice){ memory, 0, COUNT(memory) });
    assert_true(lanes.length[lanes.round] > 1);
}

/* No two lines of a slice share a step in both kinds of rounds. */
static void any_two_lines_of_a_slice_are_ordered_in_some_round(void **state)
{
    for (lanes.round = 0; lanes.round < 2; lanes.round++)
        sweep_memory((struct order){ 1, (uint32_t)lanes.round, 2, 0, 2 });
    for (uint64_t apart = 1; apart < COUNT(memory); apart++)
        assert_true(apart % lanes.length[0] || apart % lanes.length[1]);
}

/* In which step a sequence does a line, if the one is `lane` lanes above the lowest. */
static int64_t lane_step(uint32_t turn, int64_t in_lane, int64_t lane)
{
    return (in_lane + lanes.skew[turn] * lane) * (turn % 2 ? -1 : 1);
}

/* Lines of two lanes, next to where they are in the same step. */
static void any_two_lines_of_a_slice_are_in_either_order_in_some_turn(void **state)
{
    int64_t n_lanes;

    for (lanes.round = 0; lanes.round < ORDER_TURNS; lanes.round++)
        sweep_memory((struct order){ 1, 0, 1, (uint32_t)lanes.round, ORDER_TURNS });
    assert_int_equal(lanes.length[0], lanes.length[1]);
    assert_int_equal(lanes.length[0], lanes.length[2]);
    n_lanes = COUNT(memory) / (int64_t)lanes.length[0];
    for (int64_t apart = 1; apart < n_lanes; apart++) {
        for (int64_t further = -n_lanes - 2; further <= n_lanes + 2; further++) {
            bool before = false, after = false;

            for (uint32_t turn = 0; turn < ORDER_TURNS; turn++) {
                int64_t x = lane_step(turn, n_lanes, 0);
                int64_t y = lane_step(turn, n_lanes + further, apart);

                before |= x < y;
                after |= x > y;
            }
            assert_true(before && after);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_section_is_done_once),
        cmocka_unit_test(any_two_sections_are_ordered_in_some_round),
        cmocka_unit_test(any_two_sections_are_in_either_order_in_some_turn),
        cmocka_unit_test(turns_beyond_those_needed_are_in_step),
        cmocka_unit_test(a_single_round_of_two_turns_has_one_lane),
        cmocka_unit_test(any_two_lines_of_a_slice_are_ordered_in_some_round),
        cmocka_unit_test(any_two_lines_of_a_slice_are_in_either_order_in_some_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
