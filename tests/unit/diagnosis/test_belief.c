// SPDX-License-Identifier: MIT
#include "diagnosis/belief.h"

#include <math.h>

#include "fitted.h"

static double of(const struct diagnosis_belief *b, enum diagnosis_cause_kind kind, uint32_t bits)
{
    for (unsigned i = 0; i < b->n; i++) {
        if (b->cause[i].kind == kind && b->cause[i].bits == bits)
            return b->of[i];
    }
    return -1;
}

static struct diagnosis_belief believed(const struct diagnosis *d)
{
    static struct diagnosis_belief b;
    double sum = 0;

    diagnosis_believe(d, &b);
    for (unsigned i = 0; i < b.n; i++)
        sum += b.of[i];
    assert_true(fabs(sum - 1) < 1e-9);
    return b;
}

static void lists_all_causes(void **state)
{
    static const struct {
        unsigned modules;
        bool is_raised;
        unsigned n;
    } cases[] = {
        { 2, false, 3 + 2 + 1 + 2 },
        { 2, true, 5 + 2 + 1 + 2 },
        { 4, false, 3 + 4 + 6 + 4 },
        { 8, true, 5 + 8 + 28 + 8 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct diagnosis_machine m = machine_of(cases[i].modules);
        struct diagnosis d;

        set_speed(&m, cases[i].is_raised ? FAST : SLOW, SLOW);
        d = begun(&m, 1, 1);
        assert_int_equal(believed(&d).n, cases[i].n);
    }
}

static void says_where_there_can_be_faults(void **state)
{
    struct diagnosis_arrangement all = ARRANGED(true, 0, 1, 2), slow = ARRANGED(false, 0, 1, 2),
                                 moved = ARRANGED(true, -1, 0, 3);
    static const struct {
        struct diagnosis_cause cause;
        bool all, slow, moved;
    } cases[] = {
        { { DIAGNOSIS_NONE, 0 }, false, false, false },
        { { DIAGNOSIS_CONTROLLER, 0 }, true, true, true },
        { { DIAGNOSIS_CROWD, 0 }, true, true, false },
        { { DIAGNOSIS_SETTINGS, 0 }, true, false, true },
        { { DIAGNOSIS_SETTINGS_CROWD, 0 }, true, false, false },
        { { DIAGNOSIS_MODULES, 1 }, true, true, false },
        { { DIAGNOSIS_MODULES, 2 }, true, true, true },
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

/* By hand: a run of good passes divides what can fail there by the chance of missing it. */
static void weighs_by_bayes(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d = begun(&m, 20, 20);
    struct diagnosis_belief b = believed(&d);
    double module = of(&b, DIAGNOSIS_MODULES, 1), slot = of(&b, DIAGNOSIS_SLOT, 1);

    assert_true(fabs(module / slot - 0.60 / 0.05) < 1e-9);
    assert_true(fabs(module - of(&b, DIAGNOSIS_MODULES, 2)) < 1e-12);
    assert_true(of(&b, DIAGNOSIS_NONE, 0) < 1e-9); /* 20 times is not once */
    run_at(&d, ARRANGED(false, 1), 3, 3);          /* in the other slot */
    b = believed(&d);
    assert_true(of(&b, DIAGNOSIS_SLOT, 1) < 1e-6);
    assert_true(of(&b, DIAGNOSIS_MODULES, 2) < 1e-6);
    module = of(&b, DIAGNOSIS_MODULES, 1);
    slot = of(&b, DIAGNOSIS_SLOT, 2);
    assert_true(fabs(module / slot - 0.60 / 0.05) < 1e-6);
}

/* One pass, and a page that was bad each time again, is as good as three passes; a night counts. */
static void weighs_what_always_comes(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis one = begun(&m, 1, 1), three = begun(&m, 3, 3), mixed = begun(&m, 3, 2);
    struct diagnosis night = begun(&m, 60000, 60000);
    double before = believed(&mixed).of[0];

    assert_true(believed(&one).of[0] > 100 * believed(&three).of[0]);
    one.run[0].always = mixed.run[0].always = three.run[0].always = true;
    assert_true(believed(&one).of[0] == believed(&three).of[0]);
    assert_true(believed(&mixed).of[0] == before); /* a pass had none: it does not always come */
    assert_true(believed(&night).of[0] < believed(&three).of[0]);
}

static void a_miss_is_not_proof(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d = begun(&m, 40, 2);
    struct diagnosis_belief before = believed(&d), after;

    run_at(&d, ARRANGED(false, 0), 5, 0); /* 1 in 20, and 5 passes */
    after = believed(&d);
    assert_true(of(&after, DIAGNOSIS_MODULES, 1) > 0.3 * of(&before, DIAGNOSIS_MODULES, 1));
    run_at(&d, ARRANGED(false, 0), 200, 0);
    after = believed(&d);
    assert_true(of(&after, DIAGNOSIS_MODULES, 1) < 0.02);
    assert_true(of(&after, DIAGNOSIS_MODULES, 2) > 0.5);
}

static void what_did_not_start_is_no_evidence(void **state)
{
    struct diagnosis_machine m = machine_of(4);
    struct diagnosis d = begun(&m, 1, 1);
    struct diagnosis_belief before = believed(&d), after;
    struct diagnosis_arrangement at = ARRANGED(false, 0);

    diagnosis_not_started(&d, &at);
    after = believed(&d);
    for (unsigned i = 0; i < after.n; i++)
        assert_true(fabs(before.of[i] - after.of[i]) < 1e-12);
}

static void kinds_change_what_is_likely(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d;
    struct diagnosis_belief b[2];

    set_speed(&m, FAST, SLOW);
    d = begun(&m, 1, 1);
    d.kind = DIAGNOSIS_KIND_CELLS;
    b[0] = believed(&d);
    d.kind = DIAGNOSIS_KIND_EVERYWHERE;
    b[1] = believed(&d);
    assert_true(of(&b[0], DIAGNOSIS_MODULES, 1) > 2 * of(&b[1], DIAGNOSIS_MODULES, 1));
    assert_true(of(&b[1], DIAGNOSIS_SETTINGS, 0) > 2 * of(&b[0], DIAGNOSIS_SETTINGS, 0));
}

static void settings_that_stay_where_the_speed_is_unknown(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d;
    struct diagnosis_belief b;

    set_speed(&m, SLOW, 0);
    d = begun(&m, 1, 1);
    b = believed(&d);
    assert_true(of(&b, DIAGNOSIS_SETTINGS, 0) > 0.05);
    d.settings_stayed = 2;
    b = believed(&d);
    assert_true(of(&b, DIAGNOSIS_SETTINGS, 0) < 0.0001);
}

static void passes_by_the_rate(void **state)
{
    static const struct {
        unsigned passes, failed, min, max;
    } cases[] = {
        { 20, 20, 6, 10 },   /* always */
        { 20, 10, 6, 30 },   /* half of them */
        { 40, 2, 100, 200 }, /* 1 in 20 */
        { 1, 1, 30, 200 },   /* nobody knows */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct diagnosis_machine m = machine_of(2);
        struct diagnosis d = begun(&m, cases[i].passes, cases[i].failed);
        struct diagnosis_belief b = believed(&d);

        assert_in_range(diagnosis_passes(&b), cases[i].min, cases[i].max);
    }
}

static void a_miss_is_below_1_percent(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d = begun(&m, 10, 5);
    struct diagnosis_belief b = believed(&d);
    double miss[DIAGNOSIS_RATES];

    diagnosis_miss(diagnosis_passes(&b), miss);
    for (unsigned i = 0; i < b.n; i++) {
        if (b.cause[i].kind == DIAGNOSIS_MODULES)
            assert_true(diagnosis_sees(&b, i, miss) > 0.99);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_all_causes),
        cmocka_unit_test(says_where_there_can_be_faults),
        cmocka_unit_test(weighs_by_bayes),
        cmocka_unit_test(weighs_what_always_comes),
        cmocka_unit_test(a_miss_is_not_proof),
        cmocka_unit_test(what_did_not_start_is_no_evidence),
        cmocka_unit_test(kinds_change_what_is_likely),
        cmocka_unit_test(settings_that_stay_where_the_speed_is_unknown),
        cmocka_unit_test(passes_by_the_rate),
        cmocka_unit_test(a_miss_is_below_1_percent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
