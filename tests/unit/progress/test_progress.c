// SPDX-License-Identifier: MIT
#include "progress/progress.c" /* the time left, which it keeps to itself */

#include "tests/unit/unit.h"

#define MEMORY 1000 /* bytes under test */

/* A run of two tests of which a byte of the second takes four times as long, and a pause of 10 s.
 */
static const struct time_left_pass pass = { MEMORY, 10 * MEMORY * 1.0 + 20 * MEMORY * 4.0, 10 };

struct played {
    struct time_left t;
    uint64_t swept;
    double s;
};

static void sweep(struct played *r, unsigned sweeps, double s_each)
{
    for (unsigned i = 0; i < sweeps * 10; i++) {
        r->swept += MEMORY / 10;
        r->s += s_each / 10;
        time_left_estimate(&r->t, r->swept, r->s, 0);
    }
}

static double estimate(struct played *r, uint64_t more_passes)
{
    return time_left_estimate(&r->t, r->swept, r->s, more_passes);
}

static void assert_about(double x, double want)
{
    assert_true(x > want * 0.999 - 0.001 && x < want * 1.001 + 0.001);
}

static struct played begin(void)
{
    struct played r = { .swept = 777, .s = 3 };

    time_left_begin_pass(&r.t, pass, r.swept, r.s);
    time_left_begin_test(&r.t, 1, 10 * MEMORY, r.swept, r.s);
    return r;
}

TEST(nothing_is_known_at_first)
{
    struct played r = begin();

    assert_true(estimate(&r, 0) < 0);
    sweep(&r, 1, 0.9);
    assert_true(estimate(&r, 0) < 0);
}

/* From the second sweep on: whatever the first took, and though another test is slower. */
TEST(it_is_right_to_the_end)
{
    struct played r = begin();

    sweep(&r, 1, 30); /* first touched */
    sweep(&r, 2, 0.6);
    assert_about(estimate(&r, 0), 7 * 0.6 + 20 * 2.4 + 10);
    assert_about(estimate(&r, 2), 7 * 0.6 + 20 * 2.4 + 10 + 2 * (10 * 0.6 + 20 * 2.4 + 10));
    sweep(&r, 7, 0.6);
    time_left_begin_test(&r.t, 4, 20 * MEMORY, r.swept, r.s);
    sweep(&r, 5, 2.4);
    assert_about(estimate(&r, 0), 15 * 2.4 + 10);
    r.s += 4;
    time_left_waited(&r.t, 4);
    assert_about(estimate(&r, 0), 15 * 2.4 + 6);
    sweep(&r, 15, 2.4);
    assert_about(estimate(&r, 0), 6);
    r.s += 6;
    time_left_waited(&r.t, 6);
    assert_about(estimate(&r, 0), 0);

    time_left_begin_pass(&r.t, pass, r.swept, r.s); /* the second pass */
    time_left_begin_test(&r.t, 1, 10 * MEMORY, r.swept, r.s);
    assert_about(estimate(&r, 0), 10 * 0.6 + 20 * 2.4 + 10);
}

/* What is left of its sweeps and of its pauses is not done. */
TEST(a_test_is_skipped)
{
    struct played r = begin();

    sweep(&r, 1, 30);
    sweep(&r, 4, 0.6);
    r.s += 1;
    time_left_waited(&r.t, 1);
    time_left_skip(&r.t, 4, r.swept); /* of which 3 s are left */
    time_left_begin_test(&r.t, 4, 20 * MEMORY, r.swept, r.s);
    assert_about(estimate(&r, 0), 20 * 2.4 + 6);
}

TEST(repeats_and_what_is_beside_the_pass)
{
    struct played r = begin();

    sweep(&r, 1, 30);
    sweep(&r, 4, 0.6);
    time_left_add_repeat(&r.t, 3 * MEMORY);
    assert_about(estimate(&r, 0), (5 + 3) * 0.6 + 20 * 2.4 + 10);
    r.swept += 50 * MEMORY;
    time_left_add_uncounted(&r.t, 50 * MEMORY);
    assert_about(estimate(&r, 0), (5 + 3) * 0.6 + 20 * 2.4 + 10);
}

/* The second test is three times as slow as its cost says. */
TEST(a_test_goes_by_its_own_speed)
{
    struct played r = begin();

    sweep(&r, 1, 30);
    sweep(&r, 9, 0.6);
    time_left_begin_test(&r.t, 4, 20 * MEMORY, r.swept, r.s);
    assert_about(estimate(&r, 0), 20 * 2.4 + 10);
    sweep(&r, 1, 7.2);
    assert_about(estimate(&r, 0), 19 * 7.2 + 10);
    sweep(&r, 9, 7.2);
    assert_about(estimate(&r, 0), 10 * 7.2 + 10);
}

TEST(only_pauses)
{
    struct played r = { .swept = 777, .s = 3 };

    time_left_begin_pass(&r.t, (struct time_left_pass){ MEMORY, 0, 60 }, r.swept, r.s);
    assert_about(estimate(&r, 0), 60);
    time_left_waited(&r.t, 25);
    assert_about(estimate(&r, 1), 35 + 60);
}
