// SPDX-License-Identifier: MIT
#include "diagnosis/diagnosis.h"

#include "fitted.h"

static void counts_modules_and_slots(void **state)
{
    struct arrangement at = ARRANGED(false, 3, -1, 0);

    assert_int_equal(diagnosis_modules_in(&at), 5);
    assert_int_equal(diagnosis_slots_used(&at), 9);
    at.slot_of[1] = 15;
    assert_int_equal(diagnosis_slots_used(&at), 0x8009);
}

static void compares_modules_only(void **state)
{
    struct arrangement a = ARRANGED(true, 0, 1), b = ARRANGED(false, 0, 1);

    assert_true(diagnosis_same_modules(&a, &b, 2));
    b.slot_of[1] = 2;
    assert_false(diagnosis_same_modules(&a, &b, 2));
    assert_true(diagnosis_same_modules(&a, &b, 1));
}

/* A person can see serial numbers, sizes, and the names of slots. */
static void as_asked_but_for_what_looks_alike(void **state)
{
    struct diagnosis_machine m = machine_of(4);
    struct diagnosis d = begun(&m, 1, 1);
    struct arrangement asked = ARRANGED(false, -1, 1, 2, 3);
    struct arrangement other = ARRANGED(false, 0, -1, 2, 3);
    struct arrangement moved = ARRANGED(false, -1, 0, 2, 3);
    struct arrangement raised = ARRANGED(true, -1, 1, 2, 3);

    assert_true(diagnosis_is_as_asked(&d, &asked, &asked));
    assert_false(diagnosis_is_as_asked(&d, &asked, &raised));
    assert_false(diagnosis_is_as_asked(&d, &asked, &other));
    strcpy(d.slot_name[0], "DIMM_A2"); /* the second one of that name */
    assert_true(diagnosis_is_as_asked(&d, &asked, &moved));
    assert_false(diagnosis_is_as_asked(&d, &asked, &other)); /* by its serial number */
    d.module[0].id = 0;
    assert_false(diagnosis_is_as_asked(&d, &asked, &other));
    d.module[1].id = 0;
    assert_true(diagnosis_is_as_asked(&d, &asked, &other));
    d.module[1].size_mib *= 2;
    assert_false(diagnosis_is_as_asked(&d, &asked, &other));
    d.module[0].size_mib *= 2;
    strcpy(d.slot_name[0], "DIMM_A1");
    assert_false(diagnosis_is_as_asked(&d, &asked, &other));
}

static void keeps_what_ran(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d = begun(&m, 4, 2);

    assert_int_equal(d.n_runs, 1);
    run_at(&d, ARRANGED(false, 0), 1000, 999);
    assert_int_equal(d.n_runs, 2);
    assert_int_equal(d.run[1].passes, 1000);
    assert_int_equal(d.run[1].failed, 999);
    assert_false(d.is_running);
    run_at(&d, ARRANGED(false, 0), 200000, 1); /* more than there is room for: few, but not none */
    assert_int_equal(d.run[2].passes, 65535);
    assert_int_equal(d.run[2].failed, 1);
    d.n_runs--;
    diagnosis_ran(&d, (struct diagnosis_count){ 5, 0, false }); /* nothing was begun */
    assert_int_equal(d.n_runs, 2);
    run_at(&d, ARRANGED(false, 0), 0, 0); /* stopped before the first pass ended */
    assert_int_equal(d.n_runs, 2);
    assert_ptr_equal(diagnosis_last(&d), &d.run[1].at);
}

static void names_the_kinds(void **state)
{
    assert_string_equal(diagnosis_kind_name(DIAGNOSIS_KIND_UNKNOWN), "unknown");
    assert_string_equal(diagnosis_kind_name(DIAGNOSIS_KIND_EVERYWHERE), "everywhere");
}

static void drops_runs_beyond_its_room(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d = begun(&m, 1, 1);
    struct arrangement at = ARRANGED(false, -1, 1);

    diagnosis_not_started(&d, &at);
    assert_int_equal(d.run[1].passes, 0);
    assert_int_equal(diagnosis_slots_used(diagnosis_last(&d)), 2);
    for (unsigned i = 0; i < DIAGNOSIS_RUNS_MAX + 3; i++)
        run_at(&d, ARRANGED(false, 0), 3, 0);
    assert_int_equal(d.n_runs, DIAGNOSIS_RUNS_MAX);
    assert_int_equal(d.run[0].failed, 1);
}

/* What a word or a state in memory may hold. */
static void refuses_what_cannot_be(void **state)
{
    struct diagnosis_machine m = machine_of(3);
    struct diagnosis good = begun(&m, 20, 3), bad[10];

    run_at(&good, ARRANGED(false, -1, 2, -1), 9000, 300);
    good.is_running = true;
    assert_true(diagnosis_is_sane(&good));
    for (size_t i = 0; i < 10; i++)
        bad[i] = good;
    bad[0].n_modules = 0;
    bad[1].kind = DIAGNOSIS_KINDS;
    bad[2].n_runs = 0;
    bad[3].run[0].failed = 0;
    bad[4].run[1].failed = 9001;
    bad[5].run[1].at.slot_of[1] = 3;                           /* of 3 slots */
    bad[6].run[0].at.slot_of[1] = bad[6].run[0].at.slot_of[0]; /* two in one slot */
    memset(bad[7].run[1].at.slot_of, DIAGNOSIS_ABSENT, DIAGNOSIS_MODULES_MAX);
    bad[8].running.slot_of[0] = 9;
    bad[9].n_modules = 1;
    for (size_t i = 0; i < 10; i++)
        assert_false(diagnosis_is_sane(&bad[i]));
    strcpy(good.march, "{any(r0)}");
    assert_false(diagnosis_is_sane(&good));
}

static void counts_settings_that_stay(void **state)
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
    diagnosis_run_begins(&d, &off, &raised);
    assert_int_equal(d.settings_stayed, 1);
    assert_true(d.is_running && d.running.is_raised);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_modules_and_slots),
        cmocka_unit_test(compares_modules_only),
        cmocka_unit_test(as_asked_but_for_what_looks_alike),
        cmocka_unit_test(keeps_what_ran),
        cmocka_unit_test(refuses_what_cannot_be),
        cmocka_unit_test(names_the_kinds),
        cmocka_unit_test(drops_runs_beyond_its_room),
        cmocka_unit_test(counts_settings_that_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
