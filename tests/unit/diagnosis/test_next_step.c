// SPDX-License-Identifier: MIT
#include "diagnosis/next_step.h"

#include "fitted.h"

/* A machine with a fault that always comes where it can; the numbers are those of the slots. */
struct truth {
    unsigned n_modules, n_slots;
    struct diagnosis_cause cause;
    bool is_raised, needs_pairs;
};

enum { NO, RAISED, PAIRS = 1 };

static bool starts(const struct truth *t, const struct diagnosis_arrangement *at)
{
    uint32_t slots = diagnosis_slots_used(at);

    return !t->needs_pairs || (slots & 0x5555) == (slots >> 1 & 0x5555);
}

static struct diagnosis_end solve(const struct truth *t, unsigned *ret_restarts)
{
    struct diagnosis_machine m = machine_of(t->n_modules);
    struct diagnosis_step step;
    struct diagnosis_end end;
    struct diagnosis d;

    while (m.n_slots < t->n_slots)
        fit(&m, m.n_slots, NULL);
    set_speed(&m, t->is_raised ? FAST : SLOW, SLOW);
    d = begun(&m, 3, 3);
    for (*ret_restarts = 0;; ++*ret_restarts) {
        diagnosis_next(&d, &step, &end);
        if (step.kind == DIAGNOSIS_ENDS)
            return end;
        assert_int_equal(end.kind, DIAGNOSIS_NO_END);
        assert_in_range(*ret_restarts, 0, DIAGNOSIS_RUNS_MAX);
        if (!starts(t, &step.at)) {
            diagnosis_not_started(&d, &step.at);
        } else {
            bool fails = diagnosis_can_fail(&t->cause, &step.at, t->n_modules);

            run_at(&d, step.at, fails ? 3 : step.passes, fails ? 3 : 0);
        }
    }
}

static void finds_each_cause(void **state)
{
    static const struct {
        struct truth truth;
        enum diagnosis_end_kind end;
        uint32_t bits;
        unsigned restarts;
    } cases[] = {
        { { 2, 2, { DIAGNOSIS_MODULES, 1 }, NO, NO }, DIAGNOSIS_END_MODULES, 1, 2 },
        { { 2, 2, { DIAGNOSIS_MODULES, 2 }, NO, NO }, DIAGNOSIS_END_MODULES, 2, 2 },
        { { 2, 4, { DIAGNOSIS_SLOT, 2 }, NO, NO }, DIAGNOSIS_END_SLOT, 2, 4 },
        { { 2, 2, { DIAGNOSIS_CONTROLLER, 0 }, NO, NO }, DIAGNOSIS_END_ALL, 3, 3 },
        { { 2, 2, { DIAGNOSIS_SETTINGS, 0 }, RAISED, NO }, DIAGNOSIS_END_SETTINGS, 0, 1 },
        { { 3, 4, { DIAGNOSIS_MODULES, 4 }, NO, NO }, DIAGNOSIS_END_MODULES, 4, 3 },
        { { 4, 4, { DIAGNOSIS_MODULES, 4 }, NO, NO }, DIAGNOSIS_END_MODULES, 4, 3 },
        { { 4, 4, { DIAGNOSIS_MODULES, 9 }, NO, NO }, DIAGNOSIS_END_MODULES, 9, 5 },
        { { 4, 4, { DIAGNOSIS_SLOT, 8 }, NO, NO }, DIAGNOSIS_END_SLOT, 8, 5 },
        { { 4, 4, { DIAGNOSIS_CONTROLLER, 0 }, NO, NO }, DIAGNOSIS_END_CONTROLLER, 0, 4 },
        { { 4, 4, { DIAGNOSIS_CROWD, 0 }, NO, NO }, DIAGNOSIS_END_CROWD, 0, 6 },
        { { 4, 4, { DIAGNOSIS_MODULES, 2 }, RAISED, NO }, DIAGNOSIS_END_MODULES, 2, 4 },
        { { 4, 4, { DIAGNOSIS_SETTINGS_CROWD, 0 }, RAISED, NO }, DIAGNOSIS_END_SETTINGS, 0, 1 },
        { { 4, 4, { DIAGNOSIS_MODULES, 2 }, NO, PAIRS }, DIAGNOSIS_END_MODULES, 2, 4 },
        { { 4, 4, { DIAGNOSIS_SLOT, 2 }, NO, PAIRS }, DIAGNOSIS_END_SLOT, 3, 7 },
        { { 8, 8, { DIAGNOSIS_MODULES, 64 }, NO, NO }, DIAGNOSIS_END_MODULES, 64, 4 },
        { { 8, 8, { DIAGNOSIS_MODULES, 33 }, NO, NO }, DIAGNOSIS_END_MODULES, 33, 8 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        unsigned restarts;
        struct diagnosis_end end = solve(&cases[i].truth, &restarts);

        if (end.kind != cases[i].end || end.bits != cases[i].bits || restarts != cases[i].restarts)
            fail_msg("case %zu: end %u of 0x%x after %u restarts", i, end.kind, end.bits, restarts);
    }
}

static void what_came_once(void **state)
{
    struct diagnosis_machine m = machine_of(4);
    struct diagnosis d = begun(&m, 1, 1);
    struct diagnosis_step step;
    struct diagnosis_end end;

    for (unsigned i = 0; i < 6; i++) {
        diagnosis_next(&d, &step, &end);
        if (step.kind == DIAGNOSIS_ENDS)
            break;
        run_at(&d, step.at, step.passes, 0);
    }
    assert_int_equal(end.kind, DIAGNOSIS_END_NOT_REPRODUCED);
}

/* In each pass of the first run, and after the modules were moved never: not "too many modules". */
static void what_moving_has_mended(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d = begun(&m, 3, 3);
    bool all_again = false;
    struct diagnosis_step step;
    struct diagnosis_end end;

    for (unsigned i = 0; i < 10; i++) {
        diagnosis_next(&d, &step, &end);
        if (step.kind == DIAGNOSIS_ENDS)
            break;
        all_again |= __builtin_popcount(diagnosis_modules_in(&step.at)) == 2;
        run_at(&d, step.at, step.passes, 0);
    }
    assert_int_equal(end.kind, DIAGNOSIS_END_NOT_REPRODUCED);
    assert_true(all_again);
}

static void settings_come_first(void **state)
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
    assert_true(diagnosis_same_modules(&step.at, &d.run[0].at, 2));
}

/* The fault came often with raised settings, rarely with standard ones, and not without a module.
 */
static void settings_may_be_changed_while_a_module_is_out(void **state)
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
    assert_true(diagnosis_same_modules(&step.at, diagnosis_last(&d), 3));
}

static void halves_of_eight(void **state)
{
    struct diagnosis_machine m = machine_of(8);
    struct diagnosis d = begun(&m, 10, 10);
    struct diagnosis_step step;
    struct diagnosis_end end;

    diagnosis_next(&d, &step, &end);
    assert_int_equal(step.kind, DIAGNOSIS_ARRANGE);
    assert_in_range(__builtin_popcount(diagnosis_modules_in(&step.at)), 3, 5);
}

static void does_not_ask_for_what_does_not_start(void **state)
{
    struct diagnosis_machine m = machine_of(4);
    struct diagnosis d = begun(&m, 3, 3);
    struct diagnosis_arrangement at = ARRANGED(false, 0, 1, 2);
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
            assert_true(d.run[k].outcome != DIAGNOSIS_NOT_STARTED ||
                        diagnosis_slots_used(&d.run[k].at) != slots);
        diagnosis_not_started(&d, &step.at);
    }
    assert_int_equal(end.kind, DIAGNOSIS_END_UNDECIDED);
}

static void ends_when_its_room_is_full(void **state)
{
    struct diagnosis_machine m = machine_of(4);
    struct diagnosis d = begun(&m, 1, 1);
    struct diagnosis_step step;
    struct diagnosis_end end;

    while (d.n_runs < DIAGNOSIS_RUNS_MAX)
        run_at(&d, d.run[0].at, 1, d.n_runs % 2);
    diagnosis_next(&d, &step, &end);
    assert_int_equal(step.kind, DIAGNOSIS_ENDS);
    assert_int_equal(end.kind, DIAGNOSIS_END_UNDECIDED);
    assert_true(end.sure > 0 && end.sure < 1 && end.likely != DIAGNOSIS_NO_END);
}

static void names_each_end(void **state)
{
    struct diagnosis_end end = { .kind = DIAGNOSIS_NO_END };

    assert_null(diagnosis_end_name(DIAGNOSIS_NO_END));
    assert_string_equal(diagnosis_headline(&end), "NEXT STEP");
    for (int kind = DIAGNOSIS_END_MODULES; kind <= DIAGNOSIS_END_UNDECIDED; kind++) {
        end = (struct diagnosis_end){ .kind = (enum diagnosis_end_kind)kind, .bits = 4 };
        assert_non_null(diagnosis_end_name(end.kind));
        assert_string_not_equal(diagnosis_headline(&end), "NEXT STEP");
    }
    end = (struct diagnosis_end){ .kind = DIAGNOSIS_END_MODULES, .bits = 4 };
    assert_string_equal(diagnosis_headline(&end), "BAD MODULE FOUND");
    end.bits = 5;
    assert_string_equal(diagnosis_headline(&end), "TWO BAD MODULES");
}

/*
 * The first run tells of where a board starts, too: with modules in slots 2, 3 and 4 it did. So it
 * is not because of pairs that one alone did not, and slots 2 and 3, which no rule pairs, may be
 * used.
 */
static void the_first_run_shows_where_it_starts(void **state)
{
    struct diagnosis_machine m = machine_of(4);
    struct diagnosis_arrangement one = ARRANGED(false, 1);
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

static void counts_work(void **state)
{
    struct diagnosis_machine m = machine_of(4);
    struct diagnosis d = begun(&m, 1, 1);
    struct diagnosis_arrangement all = ARRANGED(true, 0, 1, 2, 3), one = ARRANGED(true, 0),
                                 off = ARRANGED(false, 0, 1, 2, 3);
    double nothing = diagnosis_work(&d, &all, &all), setup = diagnosis_work(&d, &all, &off);

    assert_true(nothing > 0);
    assert_true(setup > nothing);
    assert_true(diagnosis_work(&d, &all, &one) > nothing);
    d.settings_stayed = 2;
    assert_true(diagnosis_work(&d, &all, &off) > 2 * setup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_each_cause),
        cmocka_unit_test(what_came_once),
        cmocka_unit_test(what_moving_has_mended),
        cmocka_unit_test(settings_come_first),
        cmocka_unit_test(settings_may_be_changed_while_a_module_is_out),
        cmocka_unit_test(halves_of_eight),
        cmocka_unit_test(does_not_ask_for_what_does_not_start),
        cmocka_unit_test(ends_when_its_room_is_full),
        cmocka_unit_test(the_first_run_shows_where_it_starts),
        cmocka_unit_test(names_each_end),
        cmocka_unit_test(counts_work),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
