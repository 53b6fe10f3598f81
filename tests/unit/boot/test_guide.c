// SPDX-License-Identifier: MIT
#include "boot/uefi/diagnosis/guide.h"

#include "guided.h"

static const char *words(void)
{
    static char text[600];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    guide_run_begins(&guide, &b);
    assert_false(b.cut);
    return text;
}

static void nothing(void **state)
{
    fitted = machine_of(2);
    start(false, false);
    assert_int_equal(guide.situation, GUIDE_NONE);
}

static void an_offer_is_taken(void **state)
{
    take_offer(4);
    assert_true(guide.is_kept && guide.is_new);
    assert_false(guide.is_asked);
    assert_int_equal(guide.situation, GUIDE_UNCHANGED);
    assert_int_equal(guide.step.kind, DIAGNOSIS_ARRANGE);
    assert_string_equal(guide.state.slot_name[3], "DIMM_B2");
    assert_string_equal(guide.state.module[2].serial, "1000AAA2");
    assert_string_equal(guide.state.tests, "march-c-");
}

/* Its report is not read again: it is kept, and shown while all its modules are fitted. */
static void an_offer_stays(void **state)
{
    struct diagnosis d;

    fitted = machine_of(4);
    d = begun(&fitted, 3, 3);
    report(&d, false);
    start(false, true);
    assert_int_equal(guide.situation, GUIDE_OFFERED);
    assert_true(guide.is_new);
    keep();
    for (unsigned i = 0; i < 3; i++) {
        start(true, i == 1); /* the report may be there again */
        assert_int_equal(guide.situation, GUIDE_OFFERED);
        assert_false(guide.is_new || guide.is_asked);
    }
    fit(&fitted, 2, NULL);
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_NONE);
    fit(&fitted, 2, "2000BBB0"); /* replaced */
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_NONE);
    fitted = machine_of(4);
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_OFFERED);
    guide_accept(&guide, &fitted);
    assert_int_equal(guide.situation, GUIDE_UNCHANGED);
    assert_true(guide.is_new && !guide.state.is_offered);
    assert_string_equal(guide.state.module[2].serial, "1000AAA2");
}

/* One of a later run takes its place; a run of a search that was typed goes on. */
static void what_comes_after_an_offer(void **state)
{
    struct diagnosis d;

    fitted = machine_of(4);
    d = begun(&fitted, 3, 3);
    report(&d, false);
    start(false, true);
    keep();
    d = begun(&fitted, 9, 1);
    report(&d, false);
    start(true, true);
    assert_int_equal(guide.situation, GUIDE_OFFERED);
    assert_int_equal(guide.state.run[0].passes, 9);
    assert_true(guide.is_new);
    keep();
    d.is_running = true;
    d.running = d.run[0].at;
    diagnosis_ran(&d, (struct diagnosis_count){ 6, 0, false });
    report(&d, true);
    start(true, true);
    assert_int_equal(guide.state.n_runs, 2);
    assert_true(guide.is_new && guide.is_asked && !guide.state.is_offered);
    assert_int_equal(guide.situation, GUIDE_READY);
}

/* After a search: not while what it found is fitted. */
static void faults_after_an_end(void **state)
{
    struct diagnosis d;

    fitted = machine_of(2);
    d = begun(&fitted, 3, 3);
    run_at(&d, ARRANGED(false, 0), 9, 0);
    run_at(&d, ARRANGED(false, -1, 1), 3, 3);
    run_at(&d, ARRANGED(false, 0), 9, 0);
    run_at(&d, ARRANGED(false, -1, 0), 3, 3);
    kept = d;
    d = begun(&fitted, 3, 3);
    report(&d, false);
    start(true, true);
    assert_int_equal(guide.situation, GUIDE_ENDED);
    assert_int_equal(guide.end.kind, DIAGNOSIS_END_MODULES);
    assert_int_equal(guide.end.bits, 2);
    fit(&fitted, 1, "2000BBB0");
    start(true, false); /* a new one in place of the bad one */
    assert_int_equal(guide.situation, GUIDE_ENDED);
    assert_int_equal(guide.end.bits, 2);
    d = begun(&fitted, 3, 3);
    report(&d, false);
    start(true, true);
    assert_int_equal(guide.situation, GUIDE_OFFERED);
    assert_true(guide.is_new);
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_ENDED);
}

/* Slots of one name and modules without serial numbers: either may be taken out. */
static void either_of_two_that_look_alike(void **state)
{
    struct diagnosis_machine all;
    struct diagnosis d;

    fitted = machine_of(2);
    for (unsigned i = 0; i < 2; i++) {
        fit(&fitted, i, "");
        strcpy(fitted.slot[i].name, "DIMM 0");
    }
    all = fitted;
    d = begun(&fitted, 3, 3);
    report(&d, false);
    start(false, true);
    guide_accept(&guide, &fitted);
    keep();
    for (unsigned i = 0; i < 2; i++) {
        fitted = all;
        fitted.slot[i].is_present = false;
        start(true, false);
        assert_int_equal(guide.situation, GUIDE_READY);
    }
}

static void what_is_fitted_is_compared(void **state)
{
    struct diagnosis_arrangement other;

    take_offer(4);
    keep();
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_UNCHANGED);
    assert_true(guide.is_kept && guide.is_asked);
    assert_false(guide.is_new);

    other = guide.step.at;
    for (unsigned i = 0; i < 4; i++) /* the other half */
        other.slot_of[i] = other.slot_of[i] == DIAGNOSIS_ABSENT ? (uint8_t)i : DIAGNOSIS_ABSENT;
    arrange(&guide.step.at);
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_READY);

    fitted = machine_of(4);
    start(true, false);
    arrange(&other);
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_CHANGED);
}

/* From a first report to the module, all by what the menu says. */
static void a_whole_diagnosis(void **state)
{
    const unsigned bad = 2;
    unsigned runs = 0;

    take_offer(4);
    keep();
    while (guide.situation != GUIDE_ENDED) {
        struct diagnosis d;
        const char *code;

        assert_true(++runs < DIAGNOSIS_RUNS_MAX);
        fitted = machine_of(4);
        start(true, false);
        arrange(&guide.step.at);
        start(true, false);
        assert_int_equal(guide.situation, GUIDE_READY);
        code = strstr(words(), "diagnosis=") + strlen("diagnosis=");
        assert_int_equal(diagnosis_read_code(code, &d), STATUS_OK);
        assert_int_equal(d.n_runs, runs);
        keep();
        /* The kernel. */
        d = kept;
        diagnosis_ran(
            &d, (struct diagnosis_count){
                    guide.step.passes, guide.now.slot_of[bad] != DIAGNOSIS_ABSENT ? 3 : 0, false });
        report(&d, true);
        start(true, true);
        assert_true(guide.is_new);
        assert_int_equal(guide.state.n_runs, runs + 1);
        assert_string_equal(guide.state.module[bad].serial, "1000AAA2");
        assert_string_equal(guide.state.slot_name[3], "DIMM_B2");
        keep();
        start(true, true); /* the report is still there at the next start */
        assert_false(guide.is_new);
    }
    assert_int_equal(guide.end.kind, DIAGNOSIS_END_MODULES);
    assert_int_equal(guide.end.bits, 1 << bad);
}

static void a_run_without_a_result(void **state)
{
    take_offer(4);
    arrange(&guide.step.at);
    keep();
    start(true, false);
    words();
    keep();
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_UNFINISHED);
    assert_non_null(strstr(words(), "tests=march-c- 'march=' passes="));
    fitted = machine_of(4); /* something else meanwhile */
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_UNCHANGED);
}

static void it_did_not_start(void **state)
{
    struct diagnosis_step asked;

    take_offer(4);
    keep();
    start(true, false);
    asked = guide.step;
    guide_did_not_start(&guide, &fitted);
    assert_true(guide.is_new);
    assert_false(guide.is_asked);
    assert_int_equal(guide.state.n_runs, 2);
    assert_int_equal(guide.situation, GUIDE_UNCHANGED);
    assert_false(diagnosis_same_modules(&asked.at, &guide.step.at, 4));
}

/* Passes for what was not asked for are enough, too. */
static void the_options_of_a_run(void **state)
{
    char text[100];

    take_offer(4);
    snprintf(text, sizeof(text), "tests=march-c- 'march=' passes=%u save=on diagnosis=",
             diagnosis_next_passes(&guide.state));
    assert_int_equal(strncmp(words(), text, strlen(text)), 0);
    assert_true(guide.state.is_running);

    take_offer(4);
    arrange(&guide.step.at);
    keep();
    start(true, false);
    kept.tests[0] = 0;
    start(true, false);
    snprintf(text, sizeof(text), "'march=' passes=%u save=on diagnosis=", guide.step.passes);
    assert_int_equal(strncmp(words(), text, strlen(text)), 0);
}

static void a_persons_march_is_an_option_of_a_run(void **state)
{
    take_offer(4);
    strcpy(guide.state.tests, "march");
    strcpy(guide.state.march, "{any(w0);any(r0)}");
    assert_memory_equal(words(), "tests=march 'march={any(w0);any(r0)}' passes=", 45);
}

/* Where settings were to be switched off and were not, the kernel counts, and so does the loader.
 */
static void settings_that_stay(void **state)
{
    struct diagnosis d;

    fitted = machine_of(2);
    set_speed(&fitted, FAST, SLOW);
    d = begun(&fitted, 3, 3);
    d.kind = DIAGNOSIS_KIND_EVERYWHERE;
    report(&d, false);
    set_speed(&fitted, FAST, 0); /* SMBIOS */
    start(false, true);
    guide_accept(&guide, &fitted);
    assert_int_equal(guide.step.kind, DIAGNOSIS_SETTINGS_OFF);
    assert_int_equal(guide.situation, GUIDE_UNCHANGED);
    words();
    assert_int_equal(guide.state.settings_stayed, 1);

    keep();
    kept.is_running = false;
    kept.settings_stayed = 0;
    set_speed(&fitted, SLOW, 0);
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_READY);
}

/* A speed that a typed word rounds. */
static void odd_speeds(void **state)
{
    static const uint32_t speeds[] = { 2133, 2666, 2667, 2933, 4800 };

    for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
        struct diagnosis d;

        fitted = machine_of(2);
        set_speed(&fitted, speeds[i], speeds[i]);
        d = begun(&fitted, 3, 3);
        assert_false(d.run[0].at.is_raised);
        report(&d, false);
        set_speed(&fitted, speeds[i], 0);
        start(false, true);
        guide_accept(&guide, &fitted);
        assert_false(guide.now.is_raised);
    }
}

static void the_later_of_two(void **state)
{
    struct diagnosis file;
    struct guide_sources s = { .variable = &kept, .file = &file };

    take_offer(4);
    keep();
    file = kept;
    file.is_running = true;
    file.running = guide.now;
    diagnosis_ran(&file, (struct diagnosis_count){ 6, 0, false });
    guide_begin(&guide, &s, &fitted);
    assert_int_equal(guide.state.n_runs, 2);

    file.module[1].id ^= 1; /* of another machine */
    guide_begin(&guide, &s, &fitted);
    assert_int_equal(guide.state.n_runs, 1);
    s = (struct guide_sources){ .file = &kept, .variable_why = "its checksum is wrong" };
    guide_begin(&guide, &s, &fitted);
    assert_int_equal(guide.situation, GUIDE_UNCHANGED);
    assert_string_equal(guide.variable_why, "its checksum is wrong");
}

static void a_report_of_something_else(void **state)
{
    struct diagnosis_machine of_two = machine_of(2);
    struct diagnosis d = begun(&of_two, 3, 3);

    take_offer(4);
    keep();
    d.kind = DIAGNOSIS_KIND_LINE;
    report(&d, true);
    start(true, true);
    assert_int_equal(guide.state.kind, DIAGNOSIS_KIND_UNKNOWN);
    assert_false(guide.is_new);
    start(false, true); /* what was kept is lost: the report alone tells */
    assert_int_equal(guide.state.kind, DIAGNOSIS_KIND_LINE);
    assert_true(guide.is_new && guide.is_kept);
}

static void bad_input(void **state)
{
    const struct guide_sources damaged = { .variable_why = "its checksum is wrong" };
    struct guide_sources with = damaged;

    take_offer(4);
    keep();
    guide_begin(&guide, &damaged, &fitted);
    assert_int_equal(guide.situation, GUIDE_DAMAGED);
    assert_true(guide.is_kept);
    with.record = &record;
    guide_begin(&guide, &with, &fitted);
    assert_int_equal(guide.situation, GUIDE_OFFERED);

    /* Another machine, and one without a list of slots. */
    fitted = (struct diagnosis_machine){ 0 };
    fit(&fitted, 0, "BBBB0001");
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_LOST);
    assert_int_equal(guide.notes, DIAGNOSIS_OTHER_MACHINE);
    start(true, true); /* of the machine before */
    assert_int_equal(guide.situation, GUIDE_LOST);
    assert_int_equal(guide.notes, DIAGNOSIS_OTHER_MACHINE);
    assert_null(guide.offer);
    fitted = (struct diagnosis_machine){ 0 };
    start(true, false);
    assert_int_equal(guide.notes, DIAGNOSIS_NO_SLOTS);
    start(false, true);
    assert_int_equal(guide.situation, GUIDE_NONE);

    /* A module more. */
    fitted = machine_of(5);
    start(true, false);
    assert_int_equal(guide.notes, DIAGNOSIS_ADDED);
    assert_int_equal(guide.situation, GUIDE_CHANGED);
    assert_int_equal(guide.state.n_modules, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),
        cmocka_unit_test(an_offer_is_taken),
        cmocka_unit_test(an_offer_stays),
        cmocka_unit_test(what_comes_after_an_offer),
        cmocka_unit_test(faults_after_an_end),
        cmocka_unit_test(either_of_two_that_look_alike),
        cmocka_unit_test(what_is_fitted_is_compared),
        cmocka_unit_test(a_whole_diagnosis),
        cmocka_unit_test(a_run_without_a_result),
        cmocka_unit_test(it_did_not_start),
        cmocka_unit_test(the_options_of_a_run),
        cmocka_unit_test(a_persons_march_is_an_option_of_a_run),
        cmocka_unit_test(settings_that_stay),
        cmocka_unit_test(odd_speeds),
        cmocka_unit_test(the_later_of_two),
        cmocka_unit_test(a_report_of_something_else),
        cmocka_unit_test(bad_input),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
