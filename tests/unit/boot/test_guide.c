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
    keep(&guide.state);
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
    keep(&guide.state);
    d = begun(&fitted, 9, 1);
    report(&d, false);
    start(true, true);
    assert_int_equal(guide.situation, GUIDE_OFFERED);
    assert_int_equal(guide.state.run[0].passes, 9);
    assert_true(guide.is_new);
    keep(&guide.state);
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
    struct diagnosis d = ended();

    keep(&d);
    d = begun(&fitted, 3, 3);
    report(&d, false);
    start(true, true);
    assert_int_equal(guide.situation, GUIDE_ENDED);
    assert_int_equal(guide.end.cause.kind, DIAGNOSIS_MODULE);
    assert_int_equal(guide.end.cause.bits, 2);
    fit(&fitted, 1, "2000BBB0");
    start(true, false); /* a new one in place of the bad one */
    assert_int_equal(guide.situation, GUIDE_ENDED);
    assert_int_equal(guide.end.cause.bits, 2);
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
    keep(&guide.state);
    for (unsigned i = 0; i < 2; i++) {
        fitted = all;
        fitted.slot[i].is_present = false;
        start(true, false);
        assert_int_equal(guide.situation, GUIDE_READY);
    }
}

static void what_is_fitted_is_compared(void **state)
{
    struct arrangement other;

    take_offer(4);
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
    while (guide.situation != GUIDE_ENDED) {
        char text[100];
        struct fmt_buffer why = fmt_buffer_make(text, sizeof(text));
        struct diagnosis d;
        const char *code;

        assert_true(++runs < DIAGNOSIS_RUNS_MAX);
        fitted = machine_of(4);
        start(true, false);
        arrange(&guide.step.at);
        start(true, false);
        assert_int_equal(guide.situation, GUIDE_READY);
        code = strstr(words(), "diagnosis=") + strlen("diagnosis=");
        assert_int_equal(diagnosis_read_code(code, true, &d, &why), STATUS_OK);
        assert_int_equal(d.n_runs, runs);
        keep(&guide.state);
        /* The kernel. */
        d = guide.state;
        diagnosis_ran(
            &d, (struct diagnosis_count){
                    guide.step.passes, guide.now.slot_of[bad] != DIAGNOSIS_ABSENT ? 3 : 0, false });
        report(&d, true);
        start(true, true);
        assert_true(guide.is_new);
        assert_int_equal(guide.state.n_runs, runs + 1);
        assert_string_equal(guide.state.module[bad].serial, "1000AAA2");
        assert_string_equal(guide.state.slot_name[3], "DIMM_B2");
        keep(&guide.state);
        start(true, true); /* the report is still there at the next start */
        assert_false(guide.is_new);
    }
    assert_int_equal(guide.end.cause.kind, DIAGNOSIS_MODULE);
    assert_int_equal(guide.end.cause.bits, 1 << bad);
}

static void a_run_without_a_result(void **state)
{
    take_offer(4);
    arrange(&guide.step.at);
    keep(&guide.state);
    start(true, false);
    words();
    keep(&guide.state);
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
    keep(&guide.state);
    start(true, false);
    guide.state.tests[0] = 0;
    keep(&guide.state);
    start(true, false);
    snprintf(text, sizeof(text), "'march=' passes=%u save=on diagnosis=", guide.step.passes);
    assert_int_equal(strncmp(words(), text, strlen(text)), 0);
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

    guide.state.is_running = false;
    guide.state.settings_stayed = 0;
    keep(&guide.state);
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
    struct diagnosis later;
    char file[DIAGNOSIS_KEPT_MAX];

    take_offer(4);
    later = guide.state;
    run_at(&later, guide.now, 6, 0);
    strcpy(file, code_of(&later, true));
    start_with((struct guide_found){ kept, NULL }, (struct guide_found){ file, NULL }, NULL);
    assert_int_equal(guide.state.n_runs, 2);

    later.module[1].id ^= 1; /* of another machine */
    strcpy(file, code_of(&later, true));
    start_with((struct guide_found){ kept, NULL }, (struct guide_found){ file, NULL }, NULL);
    assert_int_equal(guide.state.n_runs, 1);
    start_with((struct guide_found){ NULL, "firmware cannot read it" },
               (struct guide_found){ kept, NULL }, NULL);
    assert_int_equal(guide.situation, GUIDE_UNCHANGED);
    assert_string_equal(guide.why[GUIDE_VARIABLE], "firmware cannot read it");
}

/* What the version before kept is named; the report's word, which is as it was, goes on. */
static void a_state_of_an_earlier_version(void **state)
{
    static const struct guide_found old = { "OKDI\2\xff", NULL };
    struct diagnosis d;

    take_offer(4);
    start_with(old, old, NULL);
    assert_int_equal(guide.situation, GUIDE_DAMAGED);
    assert_string_equal(guide.why[GUIDE_VARIABLE], "an earlier version of okram wrote it");
    assert_string_equal(guide.why[GUIDE_FILE], "an earlier version of okram wrote it");
    d = begun(&fitted, 3, 3);
    report(&d, true);
    start_with(old, old, jsonl);
    assert_int_equal(guide.situation, GUIDE_UNCHANGED);
    assert_true(guide.is_new);
}

static void a_report_of_something_else(void **state)
{
    struct diagnosis_machine of_two = machine_of(2);
    struct diagnosis d = begun(&of_two, 3, 3);

    take_offer(4);
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
    static const struct guide_found damaged = { "zzzz", NULL };

    take_offer(4);
    start_with(damaged, (struct guide_found){ 0 }, NULL);
    assert_int_equal(guide.situation, GUIDE_DAMAGED);
    assert_true(guide.is_kept);
    start_with(damaged, (struct guide_found){ 0 }, jsonl);
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
    assert_false(guide.has_offer);
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

/* Tests that would be more than one option, or do not fit, count as all; a march as none. */
static void reads_tests_and_march(void **state)
{
    static char longest[DIAGNOSIS_TESTS + 1];
    const struct {
        const char *tests, *march, *read_tests, *read_march;
    } cases[] = {
        { "march-c-,random", "", "march-c-,random", "" },
        { "march", "{any(w0);any(r0)}", "march", "{any(w0);any(r0)}" },
        { "march", "{any(w0)}' nodes=0", "march", "" },
        { "a nodes=0", "", "", "" },
        { "a\\\"b", "", "", "" },
        { "a\\tb c", "", "", "" },
        { "a'", "", "", "" },
        { longest + 1, "", longest + 1, "" },
        { longest, "", "", "" },
    };
    struct diagnosis d;

    memset(longest, 'a', DIAGNOSIS_TESTS);
    fitted = machine_of(4);
    d = begun(&fitted, 3, 3);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char members[400];

        snprintf(members, sizeof(members), "\"begun\":true,\"tests\":\"%s\",\"march\":\"%s\"",
                 cases[i].tests, cases[i].march);
        report_line(code_of(&d, false), members);
        start(false, true);
        assert_int_equal(guide.state.n_modules, 4);
        assert_string_equal(guide.state.tests, cases[i].read_tests);
        assert_string_equal(guide.state.march, cases[i].read_march);
    }
    report_line(code_of(&d, false), "\"begun\":true");
    start(false, true);
    assert_string_equal(guide.state.tests, "");
}

static void the_last_record_counts(void **state)
{
    struct diagnosis_machine of_two = machine_of(2);
    struct diagnosis d = begun(&of_two, 3, 3);
    char last[2 * sizeof(jsonl)];

    take_offer(4);
    strcpy(last, jsonl);
    report(&d, false);
    strcat(last, jsonl);
    fitted = of_two;
    start_with((struct guide_found){ 0 }, (struct guide_found){ 0 }, last);
    assert_int_equal(guide.situation, GUIDE_OFFERED);
    assert_int_equal(guide.state.n_modules, 2);
}

static void records_that_are_none(void **state)
{
    struct diagnosis d;
    char code[DIAGNOSIS_CODE_MAX];

    take_offer(4);
    d = guide.state;
    strcpy(code, code_of(&d, false));
    strcpy(jsonl, "");
    start(false, true);
    assert_int_equal(guide.situation, GUIDE_NONE);
    strcpy(jsonl, "{\"type\":\"start\"}\n{\"type\":\"diag");
    start(false, true);
    assert_int_equal(guide.situation, GUIDE_NONE);
    for (unsigned i = 0; i < 3; i++) {
        code[7] = (char)(i ? code[7] : code[7] == '0' ? '1' : '0');
        report_line(i == 1   ? ""
                    : i == 2 ? code_of(&d, false)
                             : code,
                    i == 2 ? "\"begin\":true" : "\"begun\":true");
        start(false, true);
        assert_int_equal(guide.situation, GUIDE_DAMAGED);
        assert_string_equal(guide.why[GUIDE_RECORD], "its word is damaged, or of another version");
        assert_false(guide.is_kept);
    }
}

static void it_is_forgotten(void **state)
{
    struct diagnosis d;

    take_offer(4);
    start(true, false);
    guide_forget(&guide, &fitted);
    assert_int_equal(guide.situation, GUIDE_NONE);
    assert_false(guide.is_kept || guide.is_new);

    d = ended();
    keep(&d);
    d = begun(&fitted, 3, 3);
    report(&d, false);
    start(true, true);
    assert_int_equal(guide.situation, GUIDE_ENDED);
    guide_forget(&guide, &fitted); /* what was reported since is still offered */
    assert_int_equal(guide.situation, GUIDE_OFFERED);
    assert_true(guide.is_new);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        cmocka_unit_test(settings_that_stay),
        cmocka_unit_test(odd_speeds),
        cmocka_unit_test(the_later_of_two),
        cmocka_unit_test(a_state_of_an_earlier_version),
        cmocka_unit_test(a_report_of_something_else),
        cmocka_unit_test(bad_input),
        cmocka_unit_test(reads_tests_and_march),
        cmocka_unit_test(the_last_record_counts),
        cmocka_unit_test(records_that_are_none),
        cmocka_unit_test(it_is_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
