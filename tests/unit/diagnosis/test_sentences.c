// SPDX-License-Identifier: MIT
#include "diagnosis/sentences.h"

#include "fitted.h"

static char text[2048];

static struct fmt_buffer begin_text(void)
{
    return fmt_buffer_make(text, sizeof(text));
}

static struct diagnosis four(bool is_raised)
{
    struct diagnosis_machine m = machine_of(4);

    set_speed(&m, is_raised ? FAST : SLOW, SLOW);
    return begun(&m, 4, 3);
}

static void assert_step(const struct diagnosis *d, struct arrangement to, const char *wanted)
{
    struct diagnosis_step step = { DIAGNOSIS_ARRANGE, to, 6 };
    struct fmt_buffer b = begin_text();

    diagnosis_append_step(d, &step, diagnosis_last(d), &b);
    assert_string_equal(text, wanted);
}

static void says_what_to_do(void **state)
{
    struct diagnosis d = four(false);

    assert_step(&d, ARRANGED(false, 0, 1, 2, 3), "Leave everything as it is, and test again.\n");
    assert_step(&d, ARRANGED(false, 0, -1, 2, 3),
                "Switch the machine off, take out the module in DIMM_A2 (serial 1000AAA1). Then "
                "start okram again.\n");
    assert_step(&d, ARRANGED(false, -1, 0, 2, 3),
                "Switch the machine off, take out the module in DIMM_A1 (serial 1000AAA0) and move "
                "the module in DIMM_A2 (serial 1000AAA1) to DIMM_A1. Then start okram again.\n");
    assert_step(&d, ARRANGED(false, -1, 3),
                "Switch the machine off, have only this module in: the module with serial 1000AAA1 "
                "in DIMM_B2. Then start okram again.\n");
    assert_step(&d, ARRANGED(false, 1, 0),
                "Switch the machine off, have only these modules in: the module with serial "
                "1000AAA0 in DIMM_A2 and the module with serial 1000AAA1 in DIMM_A1. Then start "
                "okram again.\n");
    run_at(&d, ARRANGED(false, 0), 6, 0);
    assert_step(&d, ARRANGED(false, -1, 0),
                "Switch the machine off, take out the module in DIMM_A1 (serial 1000AAA0) and put "
                "the module with serial 1000AAA1 into DIMM_A1. Then start okram again.\n");
    d.module[1].serial[0] = 0;
    assert_step(
        &d, ARRANGED(false, 0, 1),
        "Switch the machine off, put the module that was in DIMM_A2 back into DIMM_A2. Then "
        "start okram again.\n");
    assert_step(&d, ARRANGED(false, 0, 3),
                "Switch the machine off, put the module that was in DIMM_A2 in the first run into "
                "DIMM_B2. Then start okram again.\n");
    assert_step(&d, ARRANGED(false, 1, 0, 2, 3),
                "Switch the machine off, have only these modules in: the module with serial "
                "1000AAA0 in DIMM_A2, the module that was in DIMM_A2 in the first run, in DIMM_A1, "
                "the module with serial 1000AAA2 in DIMM_B1 and the module with serial 1000AAA3 in "
                "DIMM_B2. Then start okram again.\n");
}

static void says_what_to_set(void **state)
{
    struct diagnosis d = four(true);

    assert_step(&d, ARRANGED(false, 0, 1, 2, 3),
                "Switch off XMP or EXPO (on some boards DOCP) in BIOS setup, so that memory "
                "runs at 4800 MT/s instead of 6000. Leave the modules as they are. Then start "
                "okram again.\n");
    assert_step(&d, ARRANGED(false, 0, 1, 2),
                "Switch off XMP or EXPO (on some boards DOCP) in BIOS setup, so that memory "
                "runs at 4800 MT/s instead of 6000. Switch the machine off, take out the module in "
                "DIMM_B2 (serial 1000AAA3). Then start okram again.\n");
    d.jedec_mt_s = 0;
    assert_step(
        &d, ARRANGED(false, 0, 1, 2, 3),
        "Switch off XMP or EXPO (on some boards DOCP) in BIOS setup, if one of them is "
        "on. If none is, start okram again all the same. Leave the modules as they are. Then "
        "start okram again.\n");
    run_at(&d, ARRANGED(false, 0, 1, 2, 3), 6, 0);
    assert_step(&d, ARRANGED(true, 0, 1, 2, 3),
                "Switch XMP or EXPO on again in BIOS setup, to see whether the faults come "
                "back. Leave the modules as they are. Then start okram again.\n");
}

static void says_it_in_short(void **state)
{
    struct diagnosis d = four(true);
    static const struct {
        struct diagnosis_end end;
        const char *text;
    } ends[] = {
        { { { DIAGNOSIS_MODULE, 4 }, 1, true }, "serial 1000AAA2, in DIMM_B1" },
        { { { DIAGNOSIS_MODULES, 9 }, 1, true }, "serial 1000AAA0 and serial 1000AAA3" },
        { { { DIAGNOSIS_SLOT, 2 }, 1, true }, "board or slot DIMM_A2" },
        { { { DIAGNOSIS_SLOTS, 3 }, 1, true }, "board or slot DIMM_A1 and DIMM_A2" },
        { { { DIAGNOSIS_SETTINGS, 0 }, 1, true }, "the settings (XMP, EXPO), not a module" },
        { { { DIAGNOSIS_CONTROLLER, 0 }, 1, true }, "CPU, controller or board, not a module" },
        { { { DIAGNOSIS_CROWD, 0 }, 1, true }, "too many modules for CPU or board" },
        { { { DIAGNOSIS_ALL, 3 }, 1, true }, "all modules, or CPU or board" },
        { { { DIAGNOSIS_NONE, 0 }, 1, true }, "the fault did not come again" },
        { { { DIAGNOSIS_CROWD, 0 }, .6, false }, "not decided" },
    };
    const struct {
        struct arrangement at;
        const char *text;
    } steps[] = {
        { ARRANGED(true, 0, 1, 2, 3), "test again" },
        { ARRANGED(false, 0, 1, 2, 3), "XMP or EXPO off" },
        { ARRANGED(true, 0, -1, 2), "test with DIMM_A1 and DIMM_B1 only" },
    };

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        struct diagnosis_step step = { DIAGNOSIS_ENDS, ARRANGED(true, 0), 0 };
        struct fmt_buffer b = begin_text();

        diagnosis_append_short(&d, &step, &ends[i].end, diagnosis_last(&d), &b);
        assert_string_equal(text, ends[i].text);
    }
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct diagnosis_step step = { DIAGNOSIS_ARRANGE, steps[i].at, 6 };
        struct fmt_buffer b = begin_text();

        diagnosis_append_short(&d, &step, &ends[0].end, diagnosis_last(&d), &b);
        assert_string_equal(text, steps[i].text);
    }
}

static void says_what_was_changed_instead(void **state)
{
    struct diagnosis d = four(true);
    struct diagnosis_step asked = { DIAGNOSIS_SETTINGS_OFF, ARRANGED(false, 0, 1, 2, 3), 6 };
    const struct {
        struct arrangement now;
        const char *text;
    } cases[] = {
        { ARRANGED(false, 0, 1, 2, 3), "" },
        { ARRANGED(true, 0, 1, 2, 3), "Nothing has been changed since the last run.\n" },
        { ARRANGED(true, 0, 1, 3),
          "Something else was changed than was asked for: take out the module in DIMM_B2 (serial "
          "1000AAA3) and move the module in DIMM_B1 (serial 1000AAA2) to DIMM_B2. It can be tested "
          "like this: the result counts all the same.\n" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fmt_buffer b = begin_text();

        diagnosis_append_change(&d, &asked, diagnosis_last(&d), &cases[i].now, &b);
        assert_string_equal(text, cases[i].text);
    }
}

static void says_how_it_ends(void **state)
{
    struct diagnosis d = four(true);
    static const struct {
        struct diagnosis_end end;
        const char *text;
    } cases[] = {
        { { { DIAGNOSIS_MODULE, 2 }, 1, true },
          "The bad module is the one with serial number 1000AAA1 (part F5-6000), which you took out "
          "of DIMM_A1 (in the first run it was in DIMM_A2).\nWith it in, faults came in 6 of 7 passes in 2 runs, without it in 0 of 8 "
          "passes in 1 run.\nThey came in more than one slot, so it is not the slot.\nHave it "
          "replaced. If you bought a kit, return the whole kit.\n" },
        { { { DIAGNOSIS_MODULES, 3 }, 1, true },
          "The bad modules are the one with serial number 1000AAA0 (part F5-6000), which is now in "
          "DIMM_A1 and the one with serial number 1000AAA1 (part F5-6000), which you took out of "
          "DIMM_A1 (in the first run it was in DIMM_A2).\nWith either of them in, faults came in 6 of 15 passes in 3 runs.\nHave them replaced. "
          "If you bought a kit, return the whole kit.\n" },
        { { { DIAGNOSIS_SLOT, 2 }, 1, true },
          "The slot DIMM_A2 or the board is the cause, not a module.\nWith a module there, "
          "whichever it was, faults came in 3 of 4 passes in 1 run, with nothing there in 3 of 11 "
          "passes in 2 runs.\nLeave it empty, or clean its contacts and those of the modules and "
          "test again; if that does not help, have the board replaced.\n" },
        { { { DIAGNOSIS_SETTINGS, 0 }, 1, true },
          "The settings are the cause: memory was made to run faster than it can.\nWith XMP or "
          "EXPO on, faults came in 3 of 4 passes in 1 run, with it off in 3 of 11 passes in 2 "
          "runs.\nLeave XMP or EXPO off, or choose a lower speed there and test again. Modules "
          "that do not run at the speed they were sold for can be sent back.\n" },
        { { { DIAGNOSIS_CONTROLLER, 0 }, 1, true },
          "CPU, memory controller or board is the cause, not a module.\nWhichever modules and "
          "slots, faults came in 6 of 15 passes in 3 runs.\nUpdate the firmware, take the CPU out "
          "and put it back, and try it in another board before you replace it.\n" },
        { { { DIAGNOSIS_CROWD, 0 }, 1, true },
          "The modules work, but not all together: CPU or board cannot drive so many.\nWith all "
          "modules in, faults came in 3 of 4 passes in 1 run, with fewer in 3 of 11 passes in 2 "
          "runs.\nUse fewer modules, or a lower speed in BIOS setup.\n" },
        { { { DIAGNOSIS_NONE, 0 }, 1, true },
          "The fault did not come again.\nIt came in 3 of 4 passes of the first run, and then not "
          "in 11 passes of the tests that had found it.\nTest again for a night. If it stays away, it was an event from "
          "outside, which happens to good memory, too.\n" },
        { { { DIAGNOSIS_MODULE, 1 }, 0.41, false },
          "It cannot be decided by what can be tried here. No cause is likelier than all others "
          "together.\nA module of the same kind from another machine can tell: exchange one module "
          "after the other for it.\n" },
        { { { DIAGNOSIS_ALL, 0 }, 0.615, false },
          "It cannot be decided by what can be tried here. Most likely, by 61 %:\nEither all "
          "modules are bad, or CPU, memory controller or board.\nWhichever modules and slots, "
          "faults came in 6 of 15 passes in 3 runs.\nPut in a module from another machine that is "
          "known to be good, alone, and start okram again: that tells. Or try the modules in "
          "another machine.\n" },
    };

    run_at(&d, ARRANGED(false, -1, 0), 3, 3);
    run_at(&d, ARRANGED(false, 0), 8, 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fmt_buffer b = begin_text();

        diagnosis_append_end(&d, &cases[i].end, &b);
        assert_string_equal(text, cases[i].text);
    }
}

/* Without serial numbers, and a slot's name that another one has, too. */
static void says_what_cannot_be_read_on_it(void **state)
{
    struct diagnosis d = four(false);
    struct diagnosis_step none = { DIAGNOSIS_ENDS, ARRANGED(false, 0), 0 };
    struct diagnosis_end end = { { DIAGNOSIS_MODULE, 2 }, 1, true };
    struct fmt_buffer b = begin_text();

    for (unsigned i = 0; i < 4; i++) {
        d.module[i].serial[0] = d.module[i].part[0] = 0;
        d.module[i].id = 0;
        strcpy(d.slot_name[i], i < 2 ? "DIMM 0" : "DIMM 1");
    }
    assert_step(&d, ARRANGED(false, 0, -1, 2, 3),
                "Switch the machine off, take out the module in DIMM 0 (firmware gives both slots "
                "the same name: take out either, and mark it). Then start okram again.\n");
    assert_step(&d, ARRANGED(false, -1, -1, 2, 3),
                "Switch the machine off, take out the module in DIMM 0 and take out the module in "
                "DIMM 0. Then start okram again.\n");
    strcpy(d.slot_name[2], "DIMM 0");
    assert_step(&d, ARRANGED(false, 0, -1, 2, 3),
                "Switch the machine off, take out the module in DIMM 0 (firmware gives several "
                "slots the same name: take out any of them, and mark it). Then start okram "
                "again.\n");
    run_at(&d, ARRANGED(false, 0), 5, 0);
    assert_step(&d, ARRANGED(false, 1),
                "Switch the machine off, move the module in DIMM 0 to the other slot with the name "
                "DIMM 0. Then start okram again.\n");
    diagnosis_append_end(&d, &end, &b);
    assert_int_equal(strncmp(text, "The bad module is the one that you took out of DIMM 0.\n", 55),
                     0);
    b = begin_text();
    diagnosis_append_short(&d, &none, &end, diagnosis_last(&d), &b);
    assert_string_equal(text, "the module taken out of DIMM 0");
    b = begin_text();
    run_at(&d, ARRANGED(false, -1, 3), 5, 1);
    end.cause = (struct diagnosis_cause){ DIAGNOSIS_MODULES, 3 };
    diagnosis_append_short(&d, &none, &end, diagnosis_last(&d), &b);
    assert_string_equal(text, "the module taken out of DIMM 0 and the module in DIMM 1");
}

/* A run is "fast" if an SPD shows it; without one, it may be slower than the first. */
static void names_no_speed_that_it_does_not_know(void **state)
{
    struct diagnosis d = four(true);
    struct diagnosis_end end = { { DIAGNOSIS_SETTINGS, 0 }, 1, true };
    struct diagnosis_step none = { DIAGNOSIS_ENDS, ARRANGED(false, 0), 0 };
    struct fmt_buffer b = begin_text();

    d.jedec_mt_s = 0;
    d.run[0].always = true;
    run_at(&d, ARRANGED(false, 0, 1), 1, 0);
    diagnosis_append_runs(&d, 0, &b);
    assert_string_equal(text, "DIMM_A1, DIMM_A2, DIMM_B1 and DIMM_B2: faults in 3 of 4 passes, and "
                              "each time that a bad page was tested again\nDIMM_A1 and DIMM_A2, "
                              "slower: no fault in 1 pass\n");
    b = begin_text();
    diagnosis_append_end(&d, &end, &b);
    assert_non_null(strstr(text,
                           "\nAt the speed of the first run, faults came in 3 of 4 passes in 1 "
                           "run, slower in 0 of 1 pass in 1 run.\n"));
    b = begin_text();
    diagnosis_append_short(&d, &none, &end, diagnosis_last(&d), &b);
    assert_string_equal(text, "the speed of memory, not a module");
}

static void lists_the_runs(void **state)
{
    struct diagnosis d = four(true);
    struct arrangement at = ARRANGED(true, 0);
    struct fmt_buffer b = begin_text();

    run_at(&d, ARRANGED(false, 0, 1), 8, 0);
    diagnosis_not_started(&d, &at);
    run_at(&d, ARRANGED(true, -1, 0, 2), 8, 1);
    diagnosis_append_runs(&d, 0, &b);
    assert_string_equal(text, "DIMM_A1, DIMM_A2, DIMM_B1 and DIMM_B2, fast settings: faults in 3 "
                              "of 4 passes\nDIMM_A1 and DIMM_A2, JEDEC speed: no fault in 8 "
                              "passes\nDIMM_A1, fast settings: did not start\nDIMM_A1 (module of "
                              "DIMM_A2) and DIMM_B1, fast settings: faults in 1 of 8 passes\n");
}

static struct diagnosis_record record;

static void make_record(const struct diagnosis *d, unsigned notes, const char *tests)
{
    diagnosis_record_make(d, diagnosis_last(d), notes, tests, "", &record);
}

static enum status read_typed(const char *code, struct diagnosis *ret_read)
{
    struct fmt_buffer b = begin_text();

    return diagnosis_read_code(code, true, ret_read, &b);
}

static void after_the_first_run(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d, read;
    char words[600];

    set_speed(&m, FAST, FAST);
    d = begun(&m, 5, 5);
    make_record(&d, 0, "march-c-,mats+");
    assert_int_equal(record.runs, 1);
    assert_string_equal(record.next, "Switch the machine off, take out the module in DIMM_A2 "
                                     "(serial 1000AAA1). Then start okram again.");
    assert_string_equal(record.summary, "next: test with DIMM_A1 only");
    assert_string_equal(record.headline, "NEXT STEP");
    assert_int_equal(record.step, DIAGNOSIS_ARRANGE);
    assert_null(record.end);
    assert_string_equal(record.found, "");
    assert_string_equal(record.reasons, "");
    assert_string_equal(record.history, "DIMM_A1 and DIMM_A2: faults in 5 of 5 passes\n");
    assert_in_range(record.next_passes, 6, DIAGNOSIS_PASSES_MAX);
    assert_int_equal(read_typed(record.code, &read), STATUS_OK);
    snprintf(words, sizeof(words), "tests=march-c-,mats+ passes=%u diagnosis=%s",
             record.next_passes, record.code);
    assert_string_equal(record.words, words);
    make_record(&d, 0, "");
    assert_string_equal(record.words, words + strlen("tests=march-c-,mats+ "));
    diagnosis_record_make(&d, diagnosis_last(&d), 0, "march", "{any(w0);any(r0)}", &record);
    assert_memory_equal(record.words, "tests=march 'march={any(w0);any(r0)}' passes=", 45);
    assert_string_equal(record.march, "{any(w0);any(r0)}");
}

/* Modules that look alike must be marked before they are taken out. */
static void modules_are_marked_before_they_are_moved(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d;

    set_speed(&m, FAST, FAST);
    d = begun(&m, 5, 5);
    make_record(&d, DIAGNOSIS_SAME_SERIALS | DIAGNOSIS_ADDED, "");
    assert_non_null(strstr(record.next, "Then start okram again. Two modules have the same serial "
                                        "number: only their slots and sizes distinguish them. Mark "
                                        "them."));
    assert_null(strstr(record.next, "added"));
    d = begun(&m, 10, 1); /* first the same again */
    make_record(&d, DIAGNOSIS_SAME_SERIALS, "");
    assert_string_equal(record.next, "Leave everything as it is, and test again.");
}

static void at_the_end(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d;

    set_speed(&m, FAST, FAST);
    d = begun(&m, 5, 5);
    run_at(&d, ARRANGED(false, 0), 8, 0);
    run_at(&d, ARRANGED(false, -1, 0), 3, 3);
    for (unsigned i = 0; i < 3; i++) {
        run_at(&d, ARRANGED(false, 0), 8, 0);
        run_at(&d, ARRANGED(false, -1, 1), 3, 3);
    }
    make_record(&d, 0, "mats+");
    assert_string_equal(record.end, "module");
    assert_string_equal(record.found, "The bad module is the one with serial number 1000AAA1 (part "
                                      "F5-6000), which is now in DIMM_A2.");
    assert_string_equal(record.headline, "BAD MODULE FOUND");
    assert_non_null(strstr(record.reasons, "With it in, faults came in 17 of 17 passes in 5 runs, "
                                           "without it in 0 of 32 passes in 4 runs. They came in "
                                           "more than one slot, so it is not the slot. Have it "
                                           "replaced."));
    assert_null(strchr(record.reasons, '\n'));
    assert_string_equal(record.remedy,
                        "Have it replaced. If you bought a kit, return the whole kit.");
    assert_string_equal(record.summary, "bad: serial 1000AAA1, in DIMM_A2");
    assert_string_equal(record.next, "");
    assert_string_equal(record.words, "");
    assert_int_equal(record.next_passes, 0);
    assert_int_not_equal(record.code[0], 0);
}

/* As docs/json.md lists them. */
static void names_each_end(void **state)
{
    static const struct {
        struct truth truth;
        const char *end, *headline;
    } cases[] = {
        { { 2, 2, { DIAGNOSIS_MODULE, 1 }, NO, NO }, "module", "BAD MODULE FOUND" },
        { { 4, 4, { DIAGNOSIS_MODULES, 9 }, NO, NO }, "module", "TWO BAD MODULES" },
        { { 2, 4, { DIAGNOSIS_SLOT, 2 }, NO, NO }, "slot", "BAD SLOT FOUND" },
        { { 4, 4, { DIAGNOSIS_SLOT, 2 }, NO, PAIRS }, "slot", "BAD SLOT FOUND" },
        { { 2, 2, { DIAGNOSIS_SETTINGS, 0 }, RAISED, NO }, "settings", "SETTINGS TOO FAST" },
        { { 4, 4, { DIAGNOSIS_CONTROLLER, 0 }, NO, NO }, "controller", "NO MODULE IS BAD" },
        { { 4, 4, { DIAGNOSIS_CROWD, 0 }, NO, NO }, "crowd", "TOO MANY MODULES" },
        { { 2, 2, { DIAGNOSIS_CONTROLLER, 0 }, NO, NO }, "all", "UNDECIDED" },
        { { 4, 4, { DIAGNOSIS_NONE, 0 }, NO, NO }, "not-reproduced", "NOT AGAIN" },
    };
    struct diagnosis_machine m = machine_of(4);
    struct diagnosis d = begun(&m, 1, 1);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct diagnosis solved = solve(&cases[i].truth);

        make_record(&solved, 0, "");
        assert_string_equal(record.end, cases[i].end);
        assert_string_equal(record.headline, cases[i].headline);
        assert_true(record.summary[0] && record.found[0] && record.reasons[0] && record.remedy[0]);
    }
    while (d.n_runs < DIAGNOSIS_RUNS_MAX)
        run_at(&d, d.run[0].at, 1, d.n_runs % 2);
    make_record(&d, 0, "");
    assert_string_equal(record.end, "undecided");
    assert_string_equal(record.headline, "UNDECIDED");
    assert_string_equal(record.summary, "not decided");
}

/* Whoever goes on by the typed word asks for the same. */
static void the_step_is_that_of_the_word(void **state)
{
    for (unsigned failed = 1; failed <= 60; failed++) {
        struct diagnosis_machine m = machine_of(4);
        struct diagnosis d, read;
        struct diagnosis_record first;

        set_speed(&m, 2666, 0);
        d = begun(&m, 60, failed);
        make_record(&d, 0, "");
        first = record;
        assert_int_equal(read_typed(first.code, &read), STATUS_OK);
        make_record(&read, 0, "");
        assert_string_equal(record.code, first.code);
        assert_int_equal(record.next_passes, first.next_passes);
    }
}

static void the_longest_fits(void **state)
{
    struct diagnosis_machine m = { 0 };
    struct diagnosis d;

    for (unsigned i = 0; i < DIAGNOSIS_MODULES_MAX; i++) {
        char serial[DIAGNOSIS_SERIAL];

        snprintf(serial, sizeof(serial), "1234567890ABCD%X", i);
        fit(&m, i, serial);
        memset(m.slot[i].name, 'X', DIAGNOSIS_SLOT_NAME - 1);
        m.slot[i].name[0] = (char)('0' + i);
        memset(m.slot[i].part, 'P', DIAGNOSIS_PART - 1);
    }
    d = begun(&m, 5, 5);
    for (unsigned i = 1; i < DIAGNOSIS_RUNS_MAX; i++)
        run_at(&d, ARRANGED(false, 0, 1, 2, 3), 65535, 65535);
    for (unsigned i = 0; i < d.n_runs; i++)
        d.run[i].always = true;
    make_record(&d, DIAGNOSIS_SAME_SERIALS | DIAGNOSIS_NO_SERIALS, "");
    assert_true(strlen(record.next) < sizeof(record.next) - 1);
    assert_true(strlen(record.found) < sizeof(record.found) - 1);
    assert_true(strlen(record.reasons) < sizeof(record.reasons) - 1);
    assert_true(strlen(record.history) < sizeof(record.history) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_to_do),
        cmocka_unit_test(says_what_to_set),
        cmocka_unit_test(says_it_in_short),
        cmocka_unit_test(says_what_was_changed_instead),
        cmocka_unit_test(says_how_it_ends),
        cmocka_unit_test(says_what_cannot_be_read_on_it),
        cmocka_unit_test(names_no_speed_that_it_does_not_know),
        cmocka_unit_test(lists_the_runs),
        cmocka_unit_test(after_the_first_run),
        cmocka_unit_test(modules_are_marked_before_they_are_moved),
        cmocka_unit_test(at_the_end),
        cmocka_unit_test(names_each_end),
        cmocka_unit_test(the_step_is_that_of_the_word),
        cmocka_unit_test(the_longest_fits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
