// SPDX-License-Identifier: MIT
#include "boot/uefi/diagnosis/guide.h"

#include "guided.h"

static const char *words(void)
{
    static char text[600];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    guide_append_words(&guide, &b);
    assert_false(b.cut);
    return text;
}

/* n modules whose run had faults, as the last report has it. */
static struct diagnosis reported(unsigned n)
{
    struct diagnosis d;

    fitted = machine_of(n);
    d = begun(&fitted, 3, 3);
    report(&d, false);
    return d;
}

/* Its report is not read again: it is kept, and shown while all its modules are fitted. */
TEST(an_offer_stays_until_it_is_taken)
{
    reported(4);
    start(false, true);
    assert_int_equal(guide.situation, GUIDE_OFFERED);
    assert_true(guide.is_new && guide.state.is_offered);
    keep(&guide.state);
    for (unsigned i = 0; i < 3; i++) {
        start(true, i == 1); /* the report may be there again */
        assert_int_equal(guide.situation, GUIDE_OFFERED);
        assert_string_equal(code_of(&guide.state, true), kept);
        assert_false(guide.is_asked);
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
    assert_true(guide.is_new && !guide.state.is_offered && !guide.is_asked);
    assert_int_equal(guide.record.step.kind, DIAGNOSIS_ARRANGE);
    assert_string_equal(guide.state.names.serial[2], "1000AAA2");
    assert_string_equal(guide.state.tests, "march-c-");
}

/* One of a later run takes its place; a run of a search that was typed goes on. */
TEST(what_comes_after_an_offer)
{
    struct diagnosis d = reported(4);

    start(false, true);
    keep(&guide.state);
    d = begun(&fitted, 9, 1);
    report(&d, false);
    start(true, true);
    assert_int_equal(guide.situation, GUIDE_OFFERED);
    assert_int_equal(guide.state.run[0].passes, 9);
    keep(&guide.state);
    run_at(&d, d.run[0].at, 6, 0);
    report(&d, true);
    start(true, true);
    assert_int_equal(guide.state.n_runs, 2);
    assert_true(guide.is_new && guide.is_asked && !guide.state.is_offered);
    assert_int_equal(guide.situation, GUIDE_READY);
}

/* After a search: not while what it found is fitted. */
TEST(faults_after_an_end)
{
    struct diagnosis d = ended();

    keep(&d);
    for (unsigned i = 0; i < 2; i++) { /* the second time with a new one in place of the bad one */
        start(true, false);
        assert_int_equal(guide.situation, GUIDE_ENDED);
        assert_int_equal(guide.record.cause.cause.bits, 2);
        assert_int_equal(guide.state.n_modules, 2);
        d = begun(&fitted, 3, 3);
        report(&d, false);
        start(true, true);
        assert_int_equal(guide.situation, i ? GUIDE_OFFERED : GUIDE_ENDED);
        fit(&fitted, 1, "2000BBB0");
    }
    fitted = (struct diagnosis_machine){ 0 };
    fit(&fitted, 0, "BBBB0001");
    fit(&fitted, 1, "BBBB0002"); /* another machine */
    d = begun(&fitted, 3, 3);
    report(&d, false);
    start(true, true);
    assert_int_equal(guide.situation, GUIDE_OFFERED);
}

TEST(what_is_fitted_is_compared)
{
    struct arrangement other;

    take_offer(4);
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_UNCHANGED);
    assert_true(guide.is_asked && !guide.is_new);
    other = guide.record.step.at;
    for (unsigned i = 0; i < 4; i++) /* the other half */
        other.slot_of[i] = other.slot_of[i] == DIAGNOSIS_ABSENT ? (uint8_t)i : DIAGNOSIS_ABSENT;
    arrange(&guide.record.step.at);
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_READY);
    fitted = machine_of(4);
    start(true, false);
    arrange(&other);
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_CHANGED);
}

/* From a first report to the module, all by what the menu says. */
TEST(a_whole_diagnosis)
{
    const unsigned bad = 2;
    unsigned runs = 0;

    take_offer(4);
    while (guide.situation != GUIDE_ENDED) {
        char wanted[100];
        struct diagnosis d;

        assert_true(++runs < DIAGNOSIS_RUNS_MAX);
        fitted = machine_of(4);
        start(true, false);
        arrange(&guide.record.step.at);
        start(true, false);
        assert_int_equal(guide.situation, GUIDE_READY);
        snprintf(wanted, sizeof(wanted),
                 "'march=' save=on tests=march-c- passes=%u diagnosis=", guide.record.step.passes);
        assert_memory_equal(words(), wanted, strlen(wanted));
        assert_null(diagnosis_read_code(words() + strlen(wanted), &d));
        assert_int_equal(d.n_runs, runs);
        /* The kernel. */
        run_at(&d, guide.now, guide.record.step.passes,
               guide.now.slot_of[bad] != DIAGNOSIS_ABSENT ? 3 : 0);
        strcpy(d.tests, "march-c-");
        report(&d, true);
        start(true, true);
        assert_true(guide.is_new);
        assert_int_equal(guide.state.n_runs, runs + 1);
        assert_string_equal(guide.state.names.serial[bad], "1000AAA2");
        assert_string_equal(guide.state.names.slot[3], "DIMM_B2");
        keep(&guide.state);
        start(true, true); /* the report is still there at the next start */
        assert_false(guide.is_new);
    }
    assert_int_equal(guide.record.cause.cause.kind, DIAGNOSIS_MODULE);
    assert_int_equal(guide.record.cause.cause.bits, 1 << bad);
}

TEST(it_did_not_start)
{
    struct diagnosis_step asked;

    take_offer(4);
    start(true, false);
    asked = guide.record.step;
    guide_did_not_start(&guide, &fitted);
    assert_true(guide.is_new && !guide.is_asked);
    assert_int_equal(guide.state.n_runs, 2);
    assert_int_equal(guide.situation, GUIDE_UNCHANGED);
    assert_false(diagnosis_same_modules(&asked.at, &guide.record.step.at));
}

/* SMBIOS alone, without SPDs: as the loader sees speeds, some of which a typed word rounds. */
TEST(speeds)
{
    static const uint32_t odd[] = { 2133, 2666, 2667, 2933, 4800 };
    struct diagnosis d;

    fitted = machine_of(2);
    set_speed(&fitted, FAST, SLOW);
    d = begun(&fitted, 3, 3);
    d.kind = DIAGNOSIS_KIND_EVERYWHERE;
    report(&d, false);
    set_speed(&fitted, FAST, 0);
    start(false, true);
    guide_accept(&guide, &fitted);
    assert_int_equal(guide.record.step.kind, DIAGNOSIS_SETTINGS_OFF);
    assert_int_equal(guide.situation, GUIDE_UNCHANGED);
    keep(&guide.state);
    set_speed(&fitted, SLOW, 0);
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_READY);
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        fitted = machine_of(2);
        set_speed(&fitted, odd[i], odd[i]);
        d = begun(&fitted, 3, 3);
        report(&d, false);
        set_speed(&fitted, odd[i], 0);
        start(false, true);
        guide_accept(&guide, &fitted);
        assert_false(guide.now.is_raised);
    }
}

/* The report counts if it goes on with what was kept, or nothing was. */
TEST(a_report_of_something_else)
{
    struct diagnosis_machine of_two = machine_of(2);
    struct diagnosis d;

    take_offer(4);
    for (unsigned i = 0; i < 3; i++) {
        d = i ? guide.state : begun(&of_two, 3, 3);
        if (i)
            run_at(&d, guide.now, 6, 0);
        if (i == 1)
            d.module[1].id ^= 1;
        if (i == 2)
            d.run[0].at = (struct arrangement)ARRANGED(false, 0, 1, 3, 2);
        report(&d, true);
        start(true, true);
        assert_int_equal(guide.state.n_runs, 1);
        assert_false(guide.is_new);
    }
    start(false, true);
    assert_int_equal(guide.state.n_runs, 2);
    assert_true(guide.is_new);
}

TEST(bad_input)
{
    take_offer(4);
    guide_begin(&guide, "zzzz", NULL, NULL, &fitted);
    assert_int_equal(guide.situation, GUIDE_DAMAGED);
    guide_begin(&guide, "", "firmware cannot read it", NULL, &fitted);
    assert_int_equal(guide.situation, GUIDE_DAMAGED);
    assert_string_equal(guide.why_not_kept, "firmware cannot read it");
    guide_begin(&guide, "zzzz", NULL, jsonl, &fitted);
    assert_int_equal(guide.situation, GUIDE_OFFERED);

    fitted = machine_of(5); /* a module more */
    start(true, false);
    assert_int_equal(guide.situation, GUIDE_CHANGED);
    assert_int_equal(guide.state.n_modules, 5);

    /* Another machine, and one without a list of slots. */
    fitted = (struct diagnosis_machine){ 0 };
    fit(&fitted, 0, "BBBB0001");
    for (unsigned i = 0; i < 2; i++) {
        start(true, i); /* the report is of the machine before */
        assert_int_equal(guide.situation, GUIDE_LOST);
        assert_int_equal(guide.fitted, STATUS_NOT_FOUND);
        assert_false(guide.has_offer);
    }
    fitted = (struct diagnosis_machine){ 0 };
    start(false, true);
    assert_int_equal(guide.situation, GUIDE_NONE);
}

/* Tests that would be more than one option, or do not fit, count as all; a march as none. */
TEST(reads_tests_and_march)
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
    struct diagnosis d = reported(4);

    memset(longest, 'a', DIAGNOSIS_TESTS);
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

TEST(the_last_record_counts)
{
    char last[2 * sizeof(jsonl)];
    struct diagnosis d = reported(4);

    strcpy(last, jsonl);
    d = reported(2);
    strcat(last, jsonl);
    guide_begin(&guide, NULL, NULL, last, &fitted);
    assert_int_equal(guide.state.n_modules, 2);
    strcpy(jsonl, "{\"type\":\"start\"}\n{\"type\":\"diag");
    start(false, true);
    assert_int_equal(guide.situation, GUIDE_NONE);
    for (unsigned i = 0; i < 3; i++) {
        static const char *const members[] = { "\"begun\":true", "\"begun\":true",
                                               "\"begin\":true" };

        report_line(i == 0 ? "b8tf-31c4" : i == 1 ? "" : code_of(&d, false), members[i]);
        start(false, true);
        assert_int_equal(guide.situation, GUIDE_DAMAGED);
        assert_string_equal(guide.why_record, "its word is damaged, or of another version");
    }
}

TEST(it_is_forgotten)
{
    struct diagnosis d;

    take_offer(4);
    start(true, false);
    guide_forget(&guide, &fitted);
    assert_int_equal(guide.situation, GUIDE_NONE);
    assert_false(guide.is_new);
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
