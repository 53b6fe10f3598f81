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
            struct order o = { cases[c].n_workers, r, cases[c].n_rounds };

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
                        struct order o = { n, r, cases[c].n_rounds };

                        ordered =
                            step_of(o, a, sections[i], false) != step_of(o, b, sections[i], false);
                    }
                    assert_true(ordered);
                }
            }
        }
    }
}

static void a_single_round_has_one_lane(void **state)
{
    assert_int_equal(order_lanes((struct order){ 4, 0, 1 }), ORDER_ONE_LANE);
    assert_int_equal(order_lanes((struct order){ 4, 0, 2 }), ORDER_LANES);
    assert_int_equal(order_lanes((struct order){ 4, 1, 2 }), ORDER_OTHER_LANES);
    assert_int_equal(order_lanes((struct order){ 4, 6, 7 }), ORDER_LANES);
}

/* Which lines of a slice a sequence does in one step: a lane apart, by the run that it gets. */
static struct {
    uint64_t length[2]; /* of lanes, by the round */
    size_t round;
} lanes;

static void note_lanes(const struct line_run *run, const struct data *data,
                       const struct line_sequence *sequence, const struct line_faults *faults)
{
    if (sequence->n_lanes > 1)
        lanes.length[lanes.round] = run->n_lines / sequence->n_lanes;
}

/* No two lines of a slice share a step in both kinds of rounds. */
static void any_two_lines_of_a_slice_are_ordered_in_some_round(void **state)
{
    static const struct line_ops noting = { .sequence = note_lanes };
    const struct march_element e = { .kind = MARCH_UP, .n_ops = 3 };
    struct data data = data_background(0);
    static struct line memory[SWEEP_SLICE_BYTES / sizeof(struct line)];

    for (lanes.round = 0; lanes.round < 2; lanes.round++) {
        struct sweep sweep = {
            .ops = &noting,
            .lanes = order_lanes((struct order){ 1, (uint32_t)lanes.round, 2 }),
        };

        sweep_element(&sweep, &e, &data, (struct slice){ memory, 0, COUNT(memory) });
        assert_true(lanes.length[lanes.round] > 1);
    }
    for (uint64_t apart = 1; apart < COUNT(memory); apart++)
        assert_true(apart % lanes.length[0] || apart % lanes.length[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_section_is_done_once),
        cmocka_unit_test(any_two_sections_are_ordered_in_some_round),
        cmocka_unit_test(a_single_round_has_one_lane),
        cmocka_unit_test(any_two_lines_of_a_slice_are_ordered_in_some_round),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
