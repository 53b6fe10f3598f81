// SPDX-License-Identifier: MIT
#include "diagnosis/next_step.h"

#include <math.h>

#include "fitted.h"
#include "lib/splitmix.h"

TEST(finds_each_cause)
{
    static const struct {
        struct truth truth;
        struct diagnosis_cause end;
        unsigned restarts;
    } cases[] = {
        { { 2, 2, { DIAGNOSIS_MODULES, 1 }, NO, NO }, { DIAGNOSIS_MODULE, 1 }, 2 },
        { { 2, 2, { DIAGNOSIS_MODULES, 2 }, NO, NO }, { DIAGNOSIS_MODULE, 2 }, 2 },
        { { 2, 4, { DIAGNOSIS_SLOT, 2 }, NO, NO }, { DIAGNOSIS_SLOT, 2 }, 4 },
        { { 2, 2, { DIAGNOSIS_CONTROLLER, 0 }, NO, NO }, { DIAGNOSIS_ALL, 3 }, 3 },
        { { 2, 2, { DIAGNOSIS_SETTINGS, 0 }, RAISED, NO }, { DIAGNOSIS_SETTINGS, 0 }, 1 },
        { { 3, 4, { DIAGNOSIS_MODULES, 4 }, NO, NO }, { DIAGNOSIS_MODULE, 4 }, 3 },
        { { 4, 4, { DIAGNOSIS_MODULES, 4 }, NO, NO }, { DIAGNOSIS_MODULE, 4 }, 3 },
        { { 4, 4, { DIAGNOSIS_MODULES, 9 }, NO, NO }, { DIAGNOSIS_MODULES, 9 }, 4 },
        { { 4, 4, { DIAGNOSIS_SLOT, 8 }, NO, NO }, { DIAGNOSIS_SLOT, 8 }, 5 },
        { { 4, 4, { DIAGNOSIS_CONTROLLER, 0 }, NO, NO }, { DIAGNOSIS_CONTROLLER, 0 }, 5 },
        { { 4, 4, { DIAGNOSIS_CROWD, 0 }, NO, NO }, { DIAGNOSIS_CROWD, 0 }, 6 },
        { { 4, 4, { DIAGNOSIS_MODULES, 2 }, RAISED, NO }, { DIAGNOSIS_MODULE, 2 }, 4 },
        { { 4, 4, { DIAGNOSIS_MODULES, 2 }, NO, PAIRS }, { DIAGNOSIS_MODULE, 2 }, 4 },
        { { 4, 4, { DIAGNOSIS_SLOT, 2 }, NO, PAIRS }, { DIAGNOSIS_SLOTS, 3 }, 7 },
        { { 8, 8, { DIAGNOSIS_MODULES, 64 }, NO, NO }, { DIAGNOSIS_MODULE, 64 }, 4 },
        { { 8, 8, { DIAGNOSIS_MODULES, 33 }, NO, NO }, { DIAGNOSIS_MODULES, 33 }, 7 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct diagnosis d = solve(&cases[i].truth);
        unsigned restarts = d.n_runs - 1;
        struct diagnosis_step step;
        struct diagnosis_end end;

        diagnosis_next(&d, &step, &end);
        if (!end.is_decided || end.cause.kind != cases[i].end.kind ||
            end.cause.bits != cases[i].end.bits || restarts != cases[i].restarts)
            fail_msg("case %zu: end %u of 0x%x after %u restarts", i, end.cause.kind,
                     end.cause.bits, restarts);
    }
}

/* What is found if no run after the first, in which `failed` of `passes` had faults, has any. */
static struct diagnosis_end without_faults(unsigned n, unsigned passes, bool *ret_all_again)
{
    struct diagnosis_machine m = machine_of(n);
    struct diagnosis d = begun(&m, passes, passes);
    struct diagnosis_step step;
    struct diagnosis_end end;

    *ret_all_again = false;
    for (diagnosis_next(&d, &step, &end); step.kind != DIAGNOSIS_ENDS;
         diagnosis_next(&d, &step, &end)) {
        *ret_all_again |= __builtin_popcount(diagnosis_modules_in(&step.at)) == (int)n;
        run_at(&d, step.at, step.passes, 0);
        assert_in_range(d.n_runs, 2, 10);
    }
    return end;
}

/* Once; or in each pass of the first run, and after the modules were moved never. */
TEST(what_does_not_come_again)
{
    for (unsigned i = 0; i < 2; i++) {
        bool all_again;
        struct diagnosis_end end = without_faults(i ? 2 : 4, i ? 3 : 1, &all_again);

        assert_true(end.is_decided && all_again);
        assert_int_equal(end.cause.kind, DIAGNOSIS_NONE);
    }
}

TEST(settings_come_first)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis_step step;
    struct diagnosis_end end;
    struct diagnosis d;

    set_speed(&m, FAST, SLOW);
    d = begun(&m, 3, 3);
    d.kind = DIAGNOSIS_KIND_EVERYWHERE;
    diagnosis_next(&d, &step, &end);
    assert_int_equal(step.kind, DIAGNOSIS_SETTINGS_OFF);
    assert_false(step.at.is_raised);
    assert_true(diagnosis_same_modules(&step.at, &d.run[0].at));
}

/* The fault came often with raised settings, rarely with standard ones, and not without a module.
 */
TEST(settings_may_be_changed_while_a_module_is_out)
{
    struct diagnosis_machine m = machine_of(3);
    struct diagnosis_step step;
    struct diagnosis_end end;
    struct diagnosis d;

    set_speed(&m, FAST, SLOW);
    d = begun(&m, 4, 3);
    run_at(&d, ARRANGED(false, 0, 1, 2), 15, 1);
    run_at(&d, ARRANGED(false, 0, 1, -1), 49, 0);
    diagnosis_next(&d, &step, &end);
    assert_int_equal(step.kind, DIAGNOSIS_SETTINGS_ON);
    assert_true(step.at.is_raised);
    assert_true(diagnosis_same_modules(&step.at, diagnosis_last(&d)));
}

TEST(halves_of_eight)
{
    struct diagnosis_machine m = machine_of(8);
    struct diagnosis d = begun(&m, 10, 10);
    struct diagnosis_step step;
    struct diagnosis_end end;

    diagnosis_next(&d, &step, &end);
    assert_int_equal(step.kind, DIAGNOSIS_ARRANGE);
    assert_in_range(__builtin_popcount(diagnosis_modules_in(&step.at)), 3, 5);
}

TEST(does_not_ask_for_what_does_not_start)
{
    struct diagnosis_machine m = machine_of(4);
    struct diagnosis d = begun(&m, 3, 3);
    struct arrangement at = ARRANGED(false, 0, 1, 2);
    struct diagnosis_step step;
    struct diagnosis_end end;

    diagnosis_not_started(&d, &at);
    for (unsigned i = 0; i < 8; i++) {
        uint32_t slots;

        diagnosis_next(&d, &step, &end);
        if (step.kind == DIAGNOSIS_ENDS)
            break;
        slots = diagnosis_slots_used(&step.at);
        assert_int_equal(__builtin_popcount(slots) % 2, 0);
        for (unsigned k = 0; k < d.n_runs; k++)
            assert_true(d.run[k].passes || diagnosis_slots_used(&d.run[k].at) != slots);
        diagnosis_not_started(&d, &step.at);
    }
    assert_false(end.is_decided);
}

TEST(ends_when_its_room_is_full)
{
    struct diagnosis_machine m = machine_of(4);
    struct diagnosis d = begun(&m, 1, 1);
    struct diagnosis_step step;
    struct diagnosis_end end;

    while (d.n_runs < DIAGNOSIS_RUNS_MAX)
        run_at(&d, d.run[0].at, 1, d.n_runs % 2);
    diagnosis_next(&d, &step, &end);
    assert_int_equal(step.kind, DIAGNOSIS_ENDS);
    assert_false(end.is_decided);
    assert_true(end.sure > 0 && end.sure < 1);
}

/*
 * The first run tells of where a board starts, too: with modules in slots 2, 3 and 4 it did. So it
 * is not because of pairs that one alone did not, and slots 2 and 3, which no rule pairs, may be
 * used.
 */
TEST(the_first_run_shows_where_it_starts)
{
    struct diagnosis_machine m = machine_of(4);
    struct arrangement one = ARRANGED(false, 1);
    struct diagnosis_step step;
    struct diagnosis_end end;
    struct diagnosis d;

    fit(&m, 0, NULL);
    d = begun(&m, 3, 3);
    diagnosis_not_started(&d, &one);
    diagnosis_next(&d, &step, &end);
    assert_int_equal(step.kind, DIAGNOSIS_ARRANGE);
    assert_int_equal(diagnosis_slots_used(&step.at), 6);
}

/* Once settings were to be switched off and were not, opening the machine is less work. */
TEST(who_does_not_find_settings_is_not_asked_again)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis_step step;
    struct diagnosis_end end;
    struct diagnosis d;

    set_speed(&m, FAST, SLOW);
    d = begun(&m, 3, 3);
    d.kind = DIAGNOSIS_KIND_EVERYWHERE;
    d.settings_stayed = 1;
    diagnosis_next(&d, &step, &end);
    assert_int_equal(step.kind, DIAGNOSIS_ARRANGE);
}

TEST(says_where_there_can_be_faults)
{
    struct arrangement all = ARRANGED(true, 0, 1, 2), slow = ARRANGED(false, 0, 1, 2),
                       moved = ARRANGED(true, -1, 0, 3);
    static const struct {
        struct diagnosis_cause cause;
        bool all, slow, moved;
    } cases[] = {
        { { DIAGNOSIS_NONE, 0 }, false, false, false },
        { { DIAGNOSIS_CONTROLLER, 0 }, true, true, true },
        { { DIAGNOSIS_CROWD, 0 }, true, true, false },
        { { DIAGNOSIS_SETTINGS, 0 }, true, false, true },
        { { DIAGNOSIS_MODULE, 1 }, true, true, false },
        { { DIAGNOSIS_MODULE, 2 }, true, true, true },
        { { DIAGNOSIS_MODULES, 3 }, true, true, true },
        { { DIAGNOSIS_SLOT, 1 }, true, true, true },
        { { DIAGNOSIS_SLOT, 2 }, true, true, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(diagnosis_can_fail(&cases[i].cause, &all, 3), cases[i].all);
        assert_int_equal(diagnosis_can_fail(&cases[i].cause, &slow, 3), cases[i].slow);
        assert_int_equal(diagnosis_can_fail(&cases[i].cause, &moved, 3), cases[i].moved);
    }
}

static void assert_likely(const struct diagnosis *d, enum diagnosis_cause_kind kind, uint32_t bits,
                          double sure)
{
    struct diagnosis_step step;
    struct diagnosis_end end;

    diagnosis_next(d, &step, &end);
    if (end.cause.kind != kind || end.cause.bits != bits || fabs(end.sure - sure) > 1e-4)
        fail_msg("likely %u of 0x%x by %f, not %u by %f", end.cause.kind, end.cause.bits, end.sure,
                 kind, sure);
}

/* By hand: two modules, and 20 passes that all had faults, which is not once. */
TEST(believes_what_is_assumed)
{
    static const struct {
        enum diagnosis_kind kind;
        uint32_t configured, jedec;
        uint8_t stayed;
        enum diagnosis_cause_kind likely;
        double part, of;
    } cases[] = {
        { DIAGNOSIS_KIND_UNKNOWN, SLOW, SLOW, 0, DIAGNOSIS_MODULE, .30,
          .04 + .01 + .60 + .10 + .05 },
        { DIAGNOSIS_KIND_CELLS, SLOW, SLOW, 0, DIAGNOSIS_MODULE, .60,
          .02 + .005 + 1.20 + .20 + .025 },
        { DIAGNOSIS_KIND_LINE, SLOW, SLOW, 0, DIAGNOSIS_MODULE, .30, .04 + .01 + .60 + .10 + .10 },
        { DIAGNOSIS_KIND_EVERYWHERE, SLOW, SLOW, 0, DIAGNOSIS_MODULE, .21,
          .08 + .02 + .42 + .07 + .05 },
        { DIAGNOSIS_KIND_EVERYWHERE, FAST, SLOW, 0, DIAGNOSIS_SETTINGS, .60, .64 + .60 },
        { DIAGNOSIS_KIND_EVERYWHERE, FAST, 0, 0, DIAGNOSIS_SETTINGS, .24, .64 + .24 },
        { DIAGNOSIS_KIND_EVERYWHERE, FAST, 0, 1, DIAGNOSIS_MODULE, .21, .64 + .0048 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct diagnosis_machine m = machine_of(2);
        struct diagnosis d;

        set_speed(&m, cases[i].configured, cases[i].jedec);
        d = begun(&m, 20, 20);
        d.kind = cases[i].kind;
        d.settings_stayed = cases[i].stayed;
        assert_likely(&d, cases[i].likely, cases[i].likely == DIAGNOSIS_MODULE,
                      cases[i].part / cases[i].of);
    }
}

/* Faults in the other slot leave what can have faults there: module 0, both, slot 1, controller. */
TEST(weighs_by_bayes)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d = begun(&m, 20, 20);
    struct arrangement at = ARRANGED(false, 0);

    run_at(&d, ARRANGED(false, 1), 3, 3);
    assert_likely(&d, DIAGNOSIS_MODULE, 1, .30 / (.30 + .10 + .025 + .04));
    diagnosis_not_started(&d, &at); /* no evidence */
    assert_likely(&d, DIAGNOSIS_MODULE, 1, .30 / (.30 + .10 + .025 + .04));
}

static double sure_of(const struct diagnosis *d)
{
    struct diagnosis_step step;
    struct diagnosis_end end;

    diagnosis_next(d, &step, &end);
    return end.sure;
}

/* One pass, and a page that was bad each time again, is as good as three passes; a night counts. */
TEST(weighs_what_always_comes)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis one = begun(&m, 1, 1), three = begun(&m, 3, 3), mixed = begun(&m, 3, 2);
    struct diagnosis night = begun(&m, 60000, 60000);
    double before = sure_of(&mixed);

    assert_true(sure_of(&one) < sure_of(&three));
    one.run[0].always = mixed.run[0].always = three.run[0].always = true;
    assert_true(sure_of(&one) == sure_of(&three));
    assert_true(sure_of(&mixed) == before); /* a pass had none: it does not always come */
    assert_true(sure_of(&night) > sure_of(&three) && sure_of(&night) < 1);
}

TEST(a_miss_is_not_proof)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d = begun(&m, 40, 2);

    run_at(&d, ARRANGED(false, 0), 5, 0); /* 1 in 20, and 5 passes */
    assert_true(sure_of(&d) < 0.5);
    run_at(&d, ARRANGED(false, 0), 200, 0);
    assert_true(sure_of(&d) > 0.5);
}

TEST(passes_by_the_rate)
{
    static const struct {
        unsigned passes, failed, next;
    } cases[] = {
        { 20, 20, 6 }, { 3, 3, 8 }, { 20, 10, 15 }, { 10, 5, 19 }, { 1, 1, 47 }, { 40, 2, 136 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct diagnosis_machine m = machine_of(2);
        struct diagnosis d = begun(&m, cases[i].passes, cases[i].failed);
        struct diagnosis_step step;
        struct diagnosis_end end;

        diagnosis_next(&d, &step, &end);
        assert_int_equal(step.passes, cases[i].next);
    }
}

TEST(knows_suspects)
{
    struct diagnosis_machine m = machine_of(4);
    struct diagnosis d;
    static const struct {
        struct diagnosis_cause cause;
        uint32_t suspects;
    } cases[] = {
        { { DIAGNOSIS_MODULE, 1 }, 0 },  { { DIAGNOSIS_MODULE, 2 }, 2 },
        { { DIAGNOSIS_MODULES, 3 }, 2 }, { { DIAGNOSIS_MODULES, 6 }, 6 },
        { { DIAGNOSIS_SLOT, 2 }, 0 },    { { DIAGNOSIS_SLOT, 4 }, 4 },
        { { DIAGNOSIS_SLOTS, 12 }, 12 }, { { DIAGNOSIS_CROWD, 0 }, 0 },
        { { DIAGNOSIS_ALL, 7 }, 0 },
    };

    fit(&m, 1, NULL); /* module n is in slot n + 1 */
    d = begun(&m, 3, 3);
    diagnosis_suspect(&d, 12, DIAGNOSIS_MEASURED);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(diagnosis_suspects_of(&d, &cases[i].cause), cases[i].suspects);
}

/* The slot's letter is not known: two of four equal modules. */
TEST(two_suspects_of_four_need_fewer_restarts)
{
    unsigned without = 0, with = 0;

    for (unsigned bad = 0; bad < 4; bad++) {
        for (unsigned other = 0; other < 4; other++) {
            struct truth t = { 4, 4, { DIAGNOSIS_MODULES, 1u << bad }, NO, NO };
            struct diagnosis_step step;
            struct diagnosis_end end;
            struct diagnosis d = solve(&t);

            if (other == bad)
                continue;
            without += d.n_runs - 1;
            d = solve_suspecting(&t, 1u << bad | 1u << other);
            with += d.n_runs - 1;
            diagnosis_next(&d, &step, &end);
            assert_true(end.is_decided && end.cause.kind == DIAGNOSIS_MODULE);
            assert_int_equal(end.cause.bits, 1u << bad);
        }
    }
    if (with >= without)
        fail_msg("%u restarts, with suspects %u", without, with);
}

/* A bad module whose passes have faults with this rate; another one is the suspect. */
static struct diagnosis_end solve_wrong(uint64_t seed, unsigned n, uint32_t bad, double rate,
                                        enum diagnosis_suspicion suspicion)
{
    struct diagnosis_machine m = machine_of(n);
    struct diagnosis d = begun(&m, 3, 1 + splitmix_below(&seed, 3));
    struct diagnosis_step step;
    struct diagnosis_end end;

    diagnosis_suspect(&d, bad == 1u << (n - 1) ? 1 : bad << 1, suspicion);
    for (diagnosis_next(&d, &step, &end); step.kind != DIAGNOSIS_ENDS;
         diagnosis_next(&d, &step, &end)) {
        bool can_fail = diagnosis_modules_in(&step.at) & bad;
        unsigned passes = 0, failed = 0;

        for (; passes < step.passes && failed < DIAGNOSIS_FAILURES_ENOUGH; passes++)
            failed += can_fail && (double)splitmix_below(&seed, 1000) < rate * 1000;
        run_at(&d, step.at, passes, failed);
    }
    return end;
}

TEST(a_wrong_suspicion_ends_right)
{
    static const unsigned sizes[] = { 2, 3, 4, 8 };
    static const double rates[] = { 1, 0.5, 0.2 };
    unsigned wrong[DIAGNOSIS_SUSPICIONS] = { 0 };

    for (unsigned i = 0; i < 400; i++) {
        unsigned n = sizes[i % 4], suspicion = i / 4 % DIAGNOSIS_SUSPICIONS;
        uint32_t bad = 1u << i / 8 % n;
        struct diagnosis_end end = solve_wrong(i, n, bad, rates[i % 3], suspicion);

        wrong[suspicion] +=
            !end.is_decided || end.cause.kind != DIAGNOSIS_MODULE || end.cause.bits != bad;
    }
    if (wrong[DIAGNOSIS_BY_REGISTERS] > 4 || wrong[DIAGNOSIS_MEASURED] > 4) /* of 200 each */
        fail_msg("wrong: by registers %u, measured %u", wrong[0], wrong[1]);
}

/* Nobody is to take modules out first; settings come before the end. */
TEST(a_run_that_points_to_a_cpu_ends_with_it)
{
    struct diagnosis_machine m = machine_of(4);
    struct diagnosis d = begun(&m, 20, 20);
    struct diagnosis_step step;
    struct diagnosis_end end;
    unsigned restarts = 0;

    d.kind = DIAGNOSIS_KIND_CPU;
    for (diagnosis_next(&d, &step, &end); step.kind != DIAGNOSIS_ENDS && restarts < 9; restarts++) {
        run_at(&d, step.at, step.passes, step.passes);
        diagnosis_next(&d, &step, &end);
    }
    assert_true(end.is_decided);
    assert_int_equal(end.cause.kind, DIAGNOSIS_CPU);
    assert_in_range(restarts, 0, 2);
}
