// SPDX-License-Identifier: MIT
#include "lib/rate.c"

#include <math.h>

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

#define PIT_HZ  1193182.0
#define PM_HZ   3579545.0
#define HPET_HZ 1e8

/* A machine in which the CPU that looks is away now and then; time in seconds. */
struct world {
    double tsc_hz, clock_hz; /* as they are */
    double look_s;
    double runs_s, away_s; /* mean of a stretch at work, and of one away; 0: always at work */
    uint64_t mask;
    bool stands_still, runs_back;
    unsigned glitch_every; /* of how many looks one shows anything */

    double now, work_until;
    uint64_t prng;
    unsigned looks;
};

static double draw(struct world *w)
{
    return (double)(splitmix_next(&w->prng) >> 11) / (double)(UINT64_C(1) << 53);
}

static void spend(struct world *w, double seconds)
{
    w->now += seconds;
    while (w->away_s > 0 && w->now > w->work_until) {
        w->now += w->away_s * (0.5 + draw(w));
        w->work_until = w->now + w->runs_s * (0.5 + draw(w));
    }
}

static void look(void *ctx, struct rate_look *ret_look)
{
    struct world *w = ctx;
    double shown;

    ret_look->before = (uint64_t)(w->now * w->tsc_hz);
    spend(w, w->look_s / 2);
    shown = w->stands_still ? 5 : w->now * w->clock_hz;
    ret_look->count = (uint64_t)(w->runs_back ? 1e12 - shown : shown) & w->mask;
    if (w->glitch_every && ++w->looks % w->glitch_every == 0)
        ret_look->count = splitmix_next(&w->prng) & w->mask;
    spend(w, w->look_s / 2);
    ret_look->after = (uint64_t)(w->now * w->tsc_hz);
}

static struct rate_clock clock_of(struct world *w, double said_hz)
{
    return (struct rate_clock){ .hz = said_hz, .mask = w->mask, .look = look, .ctx = w };
}

static const struct {
    double hz;
    uint64_t mask;
} clocks[] = {
    { PIT_HZ, 0xffff },      { PM_HZ, 0xffffff },      { PM_HZ, 0xffffffff },
    { HPET_HZ, 0xffffffff }, { 14318180, 0xffffffff },
};

#define N_CLOCKS (sizeof(clocks) / sizeof(clocks[0]))

static void assert_near(struct rate r, double hz, double share)
{
    assert_true(r.low <= r.high);
    if (fabs(rate_middle(r) / hz - 1) > share)
        fail_msg("%.0f to %.0f Hz is not %.0f", r.low, r.high, hz);
}

TEST(is_exact_where_nothing_disturbs)
{
    static const double tsc_hz[] = { 50e6, 1e9, 2.3e9, 5.7e9 };

    for (size_t i = 0; i < N_CLOCKS * 4; i++) {
        struct world w = {
            .tsc_hz = tsc_hz[i % 4],
            .clock_hz = clocks[i / 4].hz,
            .mask = clocks[i / 4].mask,
            .look_s = 1.3e-6,
            .now = 7,
            .prng = i,
        };
        struct rate_clock c = clock_of(&w, w.clock_hz);
        struct rate r;

        assert_int_equal(rate_measure(&c, &r), STATUS_OK);
        assert_near(r, w.tsc_hz, 0.0005);
        assert_true(r.low <= w.tsc_hz && w.tsc_hz <= r.high);
        assert_true(w.now - 7 < 0.05);
    }
}

/* 64 CPUs of an emulator on two, and worse: at work for 3 ms, away for 5 ms to 2 s. */
TEST(is_right_while_held_up)
{
    static const double away_s[] = { 0.005, 0.03, 0.055, 0.1, 0.11, 0.3, 2 };

    for (size_t i = 0; i < N_CLOCKS * 7 * 40; i++) {
        struct world w = {
            .tsc_hz = 2.3e9,
            .clock_hz = clocks[i % N_CLOCKS].hz,
            .mask = clocks[i % N_CLOCKS].mask,
            .look_s = 2e-6,
            .runs_s = 0.003,
            .away_s = away_s[i / N_CLOCKS % 7],
            .now = 1,
            .prng = i,
        };
        struct rate_clock c = clock_of(&w, w.clock_hz);
        struct rate r;

        assert_int_equal(rate_measure(&c, &r), STATUS_OK);
        assert_near(r, w.tsc_hz, 0.005);
    }
}

/* Each look takes a millisecond or so: other CPUs hold what it needs. */
TEST(long_looks_widen_the_bounds_only)
{
    for (size_t i = 0; i < N_CLOCKS * 10; i++) {
        struct world w = {
            .tsc_hz = 2.3e9,
            .clock_hz = clocks[i % N_CLOCKS].hz,
            .mask = clocks[i % N_CLOCKS].mask,
            .look_s = 1e-6,
            .runs_s = 0.0000005,
            .away_s = 0.001,
            .prng = i,
        };
        struct rate_clock c = clock_of(&w, w.clock_hz);
        struct rate r;

        assert_int_equal(rate_measure(&c, &r), STATUS_OK);
        assert_true(r.low <= w.tsc_hz && w.tsc_hz <= r.high);
        assert_near(r, w.tsc_hz, 0.01);
    }
}

TEST(refuses_clocks_that_are_none)
{
    static const struct {
        struct world w;
        enum status status;
    } cases[] = {
        { { .stands_still = true }, STATUS_TIMEOUT },
        { { .clock_hz = PM_HZ / 10000 }, STATUS_TIMEOUT },
        { { .clock_hz = PM_HZ, .runs_back = true }, STATUS_INVALID },
        { { .clock_hz = PM_HZ, .glitch_every = 2 }, STATUS_INVALID },
    };

    for (size_t i = 0; i < N_CLOCKS; i++) {
        for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
            struct world w = cases[j].w;
            struct rate r = { 1, 2 };
            struct rate_clock c;

            w.tsc_hz = 2.3e9;
            w.look_s = 1e-6;
            w.mask = clocks[i].mask;
            w.clock_hz *= clocks[i].hz / PM_HZ;
            c = clock_of(&w, clocks[i].hz);
            assert_int_equal(rate_measure(&c, &r), cases[j].status);
            assert_true(r.low == 1 && r.high == 2);
            assert_true(w.now < 2);
        }
    }
}

/* A clock that is not what it says gives a rate all the same: other sources show it. */
TEST(believes_what_the_clock_says_of_itself)
{
    struct world w = {
        .tsc_hz = 2e9, .clock_hz = 2 * PM_HZ, .mask = 0xffffff, .look_s = 1e-6, .prng = 1
    };
    struct rate_clock c = clock_of(&w, PM_HZ);
    struct rate r;

    assert_int_equal(rate_measure(&c, &r), STATUS_OK);
    assert_near(r, 1e9, 0.0005);
}

TEST(votes)
{
    const struct rate rates[] = { { 10, 20 }, { 40, 50 }, { 18, 30 }, { 41, 45 }, { 42, 60 } };
    struct rate r;

    assert_int_equal(rate_vote(rates, 1, &r), 1);
    assert_true(r.low == 10 && r.high == 20);
    assert_int_equal(rate_vote(rates, 2, &r), 1); /* the lower one */
    assert_true(r.low == 10 && r.high == 20);
    assert_int_equal(rate_vote(rates, 3, &r), 2);
    assert_true(r.low == 18 && r.high == 20);
    assert_int_equal(rate_vote(rates, 4, &r), 2); /* the lower one again */
    assert_true(r.low == 18 && r.high == 20);
    assert_int_equal(rate_vote(rates, 5, &r), 3);
    assert_true(r.low == 42 && r.high == 45);
    assert_int_equal(rate_vote((struct rate[]){ { 5, 6 }, { 6, 7 } }, 2, &r), 2); /* they touch */
    assert_true(r.low == 6 && r.high == 6);
}

TEST(compares)
{
    const struct rate r = { 100, 102 };

    assert_true(rate_agrees(r, (struct rate){ 102.9, 103 }));
    assert_false(rate_agrees(r, (struct rate){ 103.1, 104 }));
    assert_true(rate_agrees(r, (struct rate){ 50, 99.1 }));
    assert_false(rate_agrees(r, (struct rate){ 50, 98.9 }));
    assert_true(rate_agrees(r, (struct rate){ 1, 1000 }));
    assert_true(fabs(rate_error(r) - 1 / 101.0) < 1e-9);
    assert_true(fabs(rate_middle(rate_reported(3e9)) - 3e9) < 1);
}

TEST(chooses_the_source_that_others_confirm)
{
    const struct rate right = rate_reported(1000), wrong = rate_reported(1100),
                      other = rate_reported(500);
    const struct rate wide = { 700, 1300 }, wider = { 600, 1400 };

    assert_int_equal(rate_choose((struct rate[]){ right, right, right }, 3), 0);
    assert_int_equal(rate_choose((struct rate[]){ wrong, right, right }, 3), 1);
    assert_int_equal(rate_choose((struct rate[]){ right, wrong }, 2), 0);
    assert_int_equal(rate_choose((struct rate[]){ wrong, other, right }, 3), 0);
    assert_int_equal(rate_choose((struct rate[]){ wrong, wrong, right, right }, 4), 0);
    assert_int_equal(rate_choose((struct rate[]){ wide, right }, 2), 1);
    assert_int_equal(rate_choose((struct rate[]){ wider, wide }, 2), 1);
    assert_int_equal(rate_choose(&wide, 1), 0);
}
