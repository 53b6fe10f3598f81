// SPDX-License-Identifier: MIT
#include "diagnosis/diagnosis.h"

#include "fitted.h"

TEST(compares_arrangements)
{
    struct arrangement a = ARRANGED(true, 3, -1, 0), b = a;

    assert_int_equal(diagnosis_modules_in(&a), 5);
    assert_int_equal(diagnosis_slots_used(&a), 9);
    assert_true(diagnosis_is_same(&a, &b));
    b.is_raised = false;
    assert_true(diagnosis_same_modules(&a, &b) && !diagnosis_is_same(&a, &b));
    b.slot_of[1] = 15;
    assert_false(diagnosis_same_modules(&a, &b));
    assert_int_equal(diagnosis_slots_used(&b), 0x8009);
}

TEST(keeps_what_ran)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d = begun(&m, 4, 2);
    struct arrangement at = ARRANGED(false, -1, 1);

    run_at(&d, at, 1000, 999);
    assert_int_equal(d.run[1].passes, 1000);
    assert_int_equal(d.run[1].failed, 999);
    run_at(&d, at, 200000, 1); /* more than there is room for: few, but not none */
    assert_int_equal(d.run[2].passes, 65535);
    assert_int_equal(d.run[2].failed, 1);
    run_at(&d, at, 0, 0); /* stopped before the first pass ended */
    assert_int_equal(d.n_runs, 3);
    diagnosis_not_started(&d, &at);
    assert_int_equal(d.run[3].passes, 0);
    assert_ptr_equal(diagnosis_last(&d), &d.run[3].at);
    for (unsigned i = 0; i < DIAGNOSIS_RUNS_MAX; i++)
        run_at(&d, at, 3, 0);
    assert_int_equal(d.n_runs, DIAGNOSIS_RUNS_MAX);
    assert_int_equal(d.run[0].failed, 2);
}

TEST(names_the_kinds)
{
    assert_string_equal(diagnosis_kind_name(DIAGNOSIS_KIND_UNKNOWN), "unknown");
    assert_string_equal(diagnosis_kind_name(DIAGNOSIS_KIND_EVERYWHERE), "everywhere");
}

/* What a word may hold. */
TEST(refuses_what_cannot_be)
{
    enum { BAD = 16 };
    struct diagnosis_machine m = machine_of(3);
    struct diagnosis good = begun(&m, 20, 3), bad[BAD];

    run_at(&good, ARRANGED(false, -1, 2, -1), 9000, 300);
    assert_true(diagnosis_is_sane(&good));
    for (size_t i = 0; i < BAD; i++)
        bad[i] = good;
    bad[0].n_modules = 0;
    bad[1].kind = DIAGNOSIS_KINDS;
    bad[2].n_runs = 0;
    bad[3].run[0].failed = 0;
    bad[4].run[1].failed = 9001;
    bad[5].run[1].at.slot_of[1] = 3;                           /* of 3 slots */
    bad[6].run[0].at.slot_of[1] = bad[6].run[0].at.slot_of[0]; /* two in one slot */
    memset(bad[7].run[1].at.slot_of, DIAGNOSIS_ABSENT, DIAGNOSIS_MODULES_MAX);
    bad[8].run[0].at.slot_of[3] = 2; /* of 3 modules */
    bad[9].n_modules = 1;
    bad[10].n_slots = DIAGNOSIS_SLOTS_MAX + 1;
    strcpy(bad[11].march, "{any(r0)}");
    bad[12].suspects = 8; /* of 3 modules */
    bad[13].suspects = 7; /* all: nothing is known */
    bad[14].suspicion = DIAGNOSIS_SUSPICIONS;
    bad[15].run[0].at.slot_of[1] = DIAGNOSIS_ABSENT; /* not in the first run */
    bad[15].suspects = 2;
    for (size_t i = 0; i < BAD; i++)
        assert_false(diagnosis_is_sane(&bad[i]));
}

/* By the slots of the first run; all are as good as none. */
TEST(suspects_are_modules)
{
    static const struct {
        uint32_t slots;
        uint8_t suspects;
    } cases[] = { { 0, 0 }, { 2, 1 }, { 8, 2 }, { 0x18, 6 }, { 0x1a, 0 }, { 0xff, 0 }, { 5, 0 } };
    struct diagnosis_machine m = machine_of(5);
    struct diagnosis d;

    fit(&m, 0, NULL);
    fit(&m, 2, NULL);
    d = begun(&m, 3, 3);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        diagnosis_suspect(&d, cases[i].slots, DIAGNOSIS_MEASURED);
        assert_int_equal(d.suspects, cases[i].suspects);
        assert_int_equal(d.suspicion, cases[i].suspects ? DIAGNOSIS_MEASURED : 0);
        assert_true(diagnosis_is_sane(&d));
    }
}

TEST(counts_settings_that_stay)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d = begun(&m, 1, 1);
    struct diagnosis_step off = { DIAGNOSIS_SETTINGS_OFF, ARRANGED(false, 0, 1), 6 };
    struct diagnosis_step again = { DIAGNOSIS_REPEAT, ARRANGED(true, 0, 1), 6 };
    struct arrangement raised = ARRANGED(true, 0, 1), lowered = ARRANGED(false, 0, 1),
                       other = ARRANGED(true, 0);

    diagnosis_run_begins(&d, &off, &lowered);
    diagnosis_run_begins(&d, &again, &raised);
    diagnosis_run_begins(&d, &off, &other); /* who did something else has not tried */
    assert_int_equal(d.settings_stayed, 0);
    for (unsigned i = 1; i < 6; i++) {
        diagnosis_run_begins(&d, &off, &raised);
        assert_int_equal(d.settings_stayed, i < 3 ? i : 3);
    }
}
