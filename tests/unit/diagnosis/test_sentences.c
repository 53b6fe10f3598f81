// SPDX-License-Identifier: MIT
#include "diagnosis/sentences.h"

#include "fitted.h"

static struct diagnosis_record record;

static void make_record(const struct diagnosis *d)
{
    diagnosis_record_make(d, diagnosis_last(d), &record);
}

static struct diagnosis of(unsigned n, bool is_raised)
{
    struct diagnosis_machine m = machine_of(n);

    set_speed(&m, is_raised ? FAST : SLOW, SLOW);
    return begun(&m, 5, 5);
}

TEST(after_the_first_run)
{
    struct diagnosis d = of(2, false), read;
    char words[600];

    make_record(&d);
    assert_int_equal(record.runs, 1);
    assert_string_equal(record.next, "Switch the machine off, take out the module in DIMM_A2 "
                                     "(serial 1000AAA1). Then start okram again.");
    assert_string_equal(record.summary, "NEXT STEP: test with DIMM_A1 only");
    assert_string_equal(record.headline, "NEXT STEP");
    assert_int_equal(record.step.kind, DIAGNOSIS_ARRANGE);
    assert_null(record.end);
    assert_null(record.remedy);
    assert_string_equal(record.found, "");
    assert_string_equal(record.reasons, "");
    assert_string_equal(record.history, "DIMM_A1 and DIMM_A2: faults in 5 of 5 passes\n");
    assert_in_range(record.next_passes, 6, DIAGNOSIS_PASSES_MAX);
    assert_null(diagnosis_read_code(record.code, &read));
    snprintf(words, sizeof(words), "tests=march-c- passes=%u diagnosis=%s", record.next_passes,
             record.code);
    assert_string_equal(record.words, words);
    d.tests[0] = 0;
    make_record(&d);
    assert_string_equal(record.words, words + strlen("tests=march-c- "));
    strcpy(d.tests, "march");
    strcpy(d.march, "{any(w0);any(r0)}");
    make_record(&d);
    assert_memory_equal(record.words, "tests=march 'march={any(w0);any(r0)}' passes=", 45);
    assert_string_equal(record.march, "{any(w0);any(r0)}");
}

/* The step from another arrangement: that is said from where the modules are now. */
TEST(says_what_to_do)
{
    static const struct {
        int now[2];
        bool has_serials;
        const char *next;
    } cases[] = {
        { { 0, -1 }, true, "Leave everything as it is, and test again." },
        { { -1, 1 },
          true,
          "Switch the machine off, take out the module in DIMM_A2 (serial 1000AAA1) and put the "
          "module with serial 1000AAA0 into DIMM_A1. Then start okram again." },
        { { 1, -1 },
          true,
          "Switch the machine off, put the module with serial 1000AAA0 into DIMM_A1. Then start "
          "okram again." },
        { { 1, 0 },
          false,
          "Switch the machine off, take out the module in DIMM_A1 and put the module that is in "
          "DIMM_A2 into DIMM_A1. Then start okram again. Some modules have no serial number of "
          "their own: only their slots and sizes distinguish them. Mark them." },
        { { -1, 1 },
          false,
          "Switch the machine off, take out the module in DIMM_A2 and put the module that was in "
          "DIMM_A1 in the first run into DIMM_A1. Then start okram again. Some modules have no "
          "serial number of their own: only their slots and sizes distinguish them. Mark them." },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct arrangement now = arranged(cases[i].now, 2, false);
        struct diagnosis d = of(2, false);

        for (unsigned k = 0; k < 2 && !cases[i].has_serials; k++)
            d.names.serial[k][0] = d.module[k].id = 0;
        diagnosis_record_make(&d, &now, &record);
        assert_string_equal(record.next, cases[i].next);
    }
}

TEST(says_what_to_set)
{
    struct arrangement slow = ARRANGED(false, 0, 1), fewer = ARRANGED(true, 0, -1);
    struct diagnosis d = of(2, true);

    make_record(&d);
    assert_string_equal(
        record.next, "Switch off XMP or EXPO (on some boards DOCP) in BIOS setup, so that memory "
                     "runs at 4800 MT/s instead of 6000. Leave the modules as they are. Then "
                     "start okram again.");
    assert_string_equal(record.summary, "NEXT STEP: XMP or EXPO off");
    diagnosis_record_make(&d, &fewer, &record);
    assert_non_null(strstr(record.next, "instead of 6000. Switch the machine off, put the module "
                                        "with serial 1000AAA1 into DIMM_A2. Then start"));
    diagnosis_record_make(&d, &slow, &record);
    assert_string_equal(record.next, "Leave everything as it is, and test again.");
    d.jedec_mt_s = 0;
    d.kind = DIAGNOSIS_KIND_EVERYWHERE;
    make_record(&d);
    assert_non_null(strstr(record.next, "in BIOS setup, if one of them is on. If none is, start "
                                        "okram again all the same. Leave"));
    d = of(3, true);
    run_at(&d, ARRANGED(false, 0, 1, 2), 15, 1);
    run_at(&d, ARRANGED(false, 0, 1, -1), 49, 0);
    d.run[0].passes = 4, d.run[0].failed = 3;
    make_record(&d);
    assert_int_equal(record.step.kind, DIAGNOSIS_SETTINGS_ON);
    assert_string_equal(record.next,
                        "Switch XMP or EXPO on again in BIOS setup, to see whether the "
                        "faults come back. Leave the modules as they are. Then start "
                        "okram again.");
    assert_string_equal(record.summary, "NEXT STEP: XMP or EXPO on again");
}

TEST(says_what_was_changed_instead)
{
    const struct {
        struct arrangement now;
        const char *text;
    } cases[] = {
        { ARRANGED(false, 0, 1, 2, 3), "" },
        { ARRANGED(true, 0, 1, 2, 3), "Nothing has been changed since the last run." },
        { ARRANGED(false, 0, 1, 3),
          "What is fitted now is not what was asked for: DIMM_A1, DIMM_A2 and DIMM_B2 (module of "
          "DIMM_B1), slower. It can be tested like this: the result counts all the same." },
    };
    struct arrangement asked = ARRANGED(false, 0, 1, 2, 3);
    struct diagnosis d = of(4, true);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[400] = "";
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        diagnosis_append_change(&d, &asked, diagnosis_last(&d), &cases[i].now, &b);
        assert_string_equal(text, cases[i].text);
    }
}

/* As docs/json.md lists them. */
TEST(names_each_end)
{
    static const struct {
        struct truth truth;
        const char *end, *summary, *found, *reasons;
    } cases[] = {
        { { 2, 2, { DIAGNOSIS_MODULE, 1 }, NO, NO },
          "module",
          "BAD MODULE FOUND: serial 1000AAA0, taken out of DIMM_A1",
          "The bad module is the one with serial number 1000AAA0 (part F5-6000), taken out of "
          "DIMM_A1.",
          "With it in, faults came in 6 of 6 passes in 2 runs, without it in 0 of 6 passes in 1 run. "
          "Have it replaced. If you bought a kit, return the whole kit." },
        { { 4, 4, { DIAGNOSIS_MODULES, 9 }, NO, NO },
          "module",
          "TWO BAD MODULES: serial 1000AAA0, ",
          "The bad modules are the one with serial number 1000AAA0 (part F5-6000), ",
          "With either of them in, faults came in " },
        { { 2, 4, { DIAGNOSIS_SLOT, 2 }, NO, NO },
          "slot",
          "BAD SLOT FOUND: DIMM_A2",
          "The slot DIMM_A2 or the board is the cause, not a module.",
          "With a module there, whichever it was, faults came in " },
        { { 4, 4, { DIAGNOSIS_SLOT, 2 }, NO, PAIRS },
          "slot",
          "BAD SLOT FOUND: DIMM_A1 and DIMM_A2",
          "One of the slots DIMM_A1 and DIMM_A2 or the board is the cause, not a module.",
          "With a module there, whichever it was, faults came in " },
        { { 2, 2, { DIAGNOSIS_SETTINGS, 0 }, RAISED, NO },
          "settings",
          "SETTINGS TOO FAST",
          "The settings are the cause: memory was made to run faster than it can.",
          "At the speed of the first run, faults came in 3 of 3 passes in 1 run, slower in 0 of 8 "
          "passes in 1 run. Leave XMP or EXPO off, " },
        { { 4, 4, { DIAGNOSIS_CONTROLLER, 0 }, NO, NO },
          "controller",
          "NO MODULE IS BAD",
          "CPU, memory controller or board is the cause, not a module.",
          "Whichever modules and slots, faults came in 18 of 18 passes in 6 runs. Update the " },
        { { 4, 4, { DIAGNOSIS_CROWD, 0 }, NO, NO },
          "crowd",
          "TOO MANY MODULES",
          "The modules work, but not all together: CPU or board cannot drive so many.",
          "With all modules in, faults came in " },
        { { 2, 2, { DIAGNOSIS_CONTROLLER, 0 }, NO, NO },
          "all",
          "UNDECIDED",
          "Either all modules are bad, or CPU, memory controller or board.",
          "Whichever modules and slots, faults came in 12 of 12 passes in 4 runs. Put in a " },
        { { 4, 4, { DIAGNOSIS_NONE, 0 }, NO, NO },
          "not-reproduced",
          "NOT AGAIN",
          "The fault did not come again.",
          "In the first run, faults came in 3 of 3 passes in 1 run, and later in 0 of " },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct diagnosis d = solve(&cases[i].truth);

        make_record(&d);
        assert_string_equal(record.end, cases[i].end);
        assert_memory_equal(record.summary, cases[i].summary, strlen(cases[i].summary));
        assert_memory_equal(record.summary, record.headline, strlen(record.headline));
        assert_memory_equal(record.found, cases[i].found, strlen(cases[i].found));
        assert_memory_equal(record.reasons, cases[i].reasons, strlen(cases[i].reasons));
        assert_string_equal(strstr(record.reasons, record.remedy), record.remedy); /* the end */
        assert_string_equal(record.next, "");
        assert_string_equal(record.words, "");
        assert_int_equal(record.next_passes, 0);
        assert_int_not_equal(record.code[0], 0);
    }
}

/* As slots of the first run, which have the numbers of the modules. */
TEST(what_the_registers_said)
{
    static const struct {
        struct truth truth;
        uint32_t suspects;
        const char *said; /* NULL: nothing */
    } cases[] = {
        { { 4, 4, { DIAGNOSIS_MODULES, 4 }, NO, NO }, 0, NULL },
        { { 4, 4, { DIAGNOSIS_MODULES, 4 }, NO, NO }, 4, "point to this module, too. Have " },
        { { 4, 4, { DIAGNOSIS_MODULES, 4 }, NO, NO },
          5,
          "point to 2 modules, this one among them. " },
        { { 4, 4, { DIAGNOSIS_MODULES, 4 }, NO, NO }, 1, "pointed elsewhere, but the runs count " },
        { { 4, 4, { DIAGNOSIS_MODULES, 9 }, NO, NO }, 9, "point to these modules, too. " },
        { { 4, 4, { DIAGNOSIS_MODULES, 9 }, NO, NO }, 1, "point to one of these, too. " },
        { { 4, 4, { DIAGNOSIS_SLOT, 8 }, NO, NO }, 8, "point to this slot, too. Leave " },
        { { 4, 4, { DIAGNOSIS_CONTROLLER, 0 }, NO, NO }, 8, NULL },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct diagnosis d = solve_suspecting(&cases[i].truth, cases[i].suspects);
        const char *said;

        make_record(&d);
        said = strstr(record.reasons, "The memory controller's registers ");
        assert_int_equal(!said, !cases[i].said);
        if (said)
            assert_memory_equal(said + 34, cases[i].said, strlen(cases[i].said));
    }
}

TEST(an_end_that_is_not_decided)
{
    struct diagnosis d = of(4, false);
    struct arrangement at = ARRANGED(false, 0, -1);

    while (d.n_runs < DIAGNOSIS_RUNS_MAX)
        run_at(&d, d.run[0].at, 1, d.n_runs % 2);
    make_record(&d);
    assert_string_equal(record.end, "undecided");
    assert_string_equal(record.summary, "UNDECIDED");
    assert_string_equal(record.found, "It cannot be decided by what can be tried here. No single "
                                      "cause is more likely than all others together.");
    assert_string_equal(record.reasons, record.remedy);
    d = of(2, false);
    run_at(&d, at, 3, 3);
    at = ARRANGED(false, -1, 1);
    while (d.n_runs < DIAGNOSIS_RUNS_MAX)
        diagnosis_not_started(&d, &at);
    make_record(&d);
    assert_memory_equal(record.found,
                        "It cannot be decided by what can be tried here. Most likely, "
                        "by ",
                        64);
    assert_non_null(strstr(record.found, " %: The bad module is the one with serial number "
                                         "1000AAA0 (part F5-6000), taken out of DIMM_A1."));
    assert_memory_equal(record.reasons, "With it in, faults came in 8 of 8 passes in 2 runs. Have ",
                        57);
}

/* By what is printed on it, and where it is now; without that, by its slot alone. */
TEST(names_the_bad_module)
{
    struct diagnosis d = of(2, false);

    for (unsigned i = 0; i < 4; i++) {
        run_at(&d, ARRANGED(false, 0), 8, 0);
        run_at(&d, ARRANGED(false, -1, 0), 3, 3);
    }
    make_record(&d);
    assert_string_equal(record.found, "The bad module is the one with serial number 1000AAA1 (part "
                                      "F5-6000), now in DIMM_A1 (in the first run in DIMM_A2).");
    assert_string_equal(record.summary, "BAD MODULE FOUND: serial 1000AAA1, now in DIMM_A1");
    d.names.serial[1][0] = 0;
    make_record(&d);
    assert_string_equal(record.found, "The bad module is the one (part F5-6000) now in DIMM_A1 (in "
                                      "the first run in DIMM_A2).");
    assert_string_equal(record.summary, "BAD MODULE FOUND: now in DIMM_A1");
    memset(&d.names, 0, sizeof(d.names));
    make_record(&d);
    assert_string_equal(record.found,
                        "The bad module is the one now in a slot (in the first run in "
                        "a slot).");
}

TEST(lists_the_runs)
{
    struct diagnosis d = of(4, true);
    struct arrangement at = ARRANGED(true, 0);

    d.run[0].always = true;
    run_at(&d, ARRANGED(false, 0, 1), 1, 0);
    diagnosis_not_started(&d, &at);
    run_at(&d, ARRANGED(true, -1, 0, 2), 8, 1);
    make_record(&d);
    assert_string_equal(record.history,
                        "DIMM_A1, DIMM_A2, DIMM_B1 and DIMM_B2: faults in 5 of 5 passes, and each "
                        "time that a bad page was tested again\nDIMM_A1 and DIMM_A2, slower: no "
                        "fault in 1 pass\nDIMM_A1: did not start\nDIMM_A1 (module of DIMM_A2) and "
                        "DIMM_B1: faults in 1 of 8 passes\n");
}

/* Whoever goes on by the typed word asks for the same. */
TEST(the_step_is_that_of_the_word)
{
    for (unsigned failed = 1; failed <= 60; failed++) {
        struct diagnosis_machine m = machine_of(4);
        struct diagnosis d, read;
        struct diagnosis_record first;

        set_speed(&m, 2666, 0);
        d = begun(&m, 60, failed);
        make_record(&d);
        first = record;
        assert_null(diagnosis_read_code(first.code, &read));
        make_record(&read);
        assert_string_equal(record.code, first.code);
        assert_int_equal(record.next_passes, first.next_passes);
        assert_true(diagnosis_is_same(&record.step.at, &first.step.at));
    }
}

TEST(the_longest_fits)
{
    struct diagnosis d = of(8, false);
    struct arrangement now = ARRANGED(false, 1, 2, 3, 4, 5, 6, 7, 0);

    for (unsigned i = 0; i < 8; i++) {
        memset(d.names.slot[i], 'X', DIAGNOSIS_SLOT_NAME - 1);
        memset(d.names.serial[i], '1', DIAGNOSIS_SERIAL - 1);
        memset(d.names.part[i], 'P', DIAGNOSIS_PART - 1);
        d.module[i].id = 0;
    }
    diagnosis_record_make(&d, &now, &record);
    assert_in_range(strlen(record.next), 400, sizeof(record.next) - 2);
    for (unsigned i = 1; i < DIAGNOSIS_RUNS_MAX; i++)
        run_at(&d, ARRANGED(false, 0, 1, 2, 3), 65535, 65535);
    for (unsigned i = 0; i < d.n_runs; i++)
        d.run[i].always = true;
    make_record(&d);
    assert_in_range(strlen(record.found), 50, sizeof(record.found) - 2);
    assert_in_range(strlen(record.reasons), 50, sizeof(record.reasons) - 2);
    assert_in_range(strlen(record.history), 50, sizeof(record.history) - 2);
}
