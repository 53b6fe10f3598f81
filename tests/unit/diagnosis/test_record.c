// SPDX-License-Identifier: MIT
#include "diagnosis/record.h"

#include "diagnosis/sentences.h"
#include "fitted.h"

static struct diagnosis_record record;

static void make(const struct diagnosis *d, unsigned notes, const char *tests)
{
    diagnosis_record_make(d, diagnosis_last(d), notes, tests, "", &record);
}

static void after_the_first_run(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d, read;
    char words[600];

    set_speed(&m, FAST, FAST);
    d = begun(&m, 5, 5);
    make(&d, 0, "march-c-,mats+");
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
    assert_int_equal(diagnosis_read_code(record.code, &read), STATUS_OK);
    snprintf(words, sizeof(words), "tests=march-c-,mats+ passes=%u diagnosis=%s",
             record.next_passes, record.code);
    assert_string_equal(record.words, words);
    make(&d, 0, "");
    assert_string_equal(record.words, words + strlen("tests=march-c-,mats+ "));
    diagnosis_record_make(&d, diagnosis_last(&d), 0, "march", "{any(w0);any(r0)}", &record);
    assert_memory_equal(record.words, "tests=march 'march={any(w0);any(r0)}' passes=", 45);
    assert_string_equal(record.march, "{any(w0);any(r0)}");
}

/* What cannot be told from each other is to be marked before it is taken out. */
static void modules_are_marked_before_they_are_moved(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d;

    set_speed(&m, FAST, FAST);
    d = begun(&m, 5, 5);
    make(&d, DIAGNOSIS_SAME_SERIALS | DIAGNOSIS_ADDED, "");
    assert_non_null(strstr(record.next, "Then start okram again. Two modules have the same serial "
                                        "number: only their slots and sizes distinguish them. Mark "
                                        "them."));
    assert_null(strstr(record.next, "added"));
    d = begun(&m, 10, 1); /* first the same again */
    make(&d, DIAGNOSIS_SAME_SERIALS, "");
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
    make(&d, 0, "mats+");
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

/* Whoever goes on by the typed word asks for the same. */
static void the_step_is_that_of_the_word(void **state)
{
    for (unsigned failed = 1; failed <= 60; failed++) {
        struct diagnosis_machine m = machine_of(4);
        struct diagnosis d, read;
        struct diagnosis_record first;

        set_speed(&m, 2666, 0);
        d = begun(&m, 60, failed);
        make(&d, 0, "");
        first = record;
        assert_int_equal(diagnosis_read_code(first.code, &read), STATUS_OK);
        make(&read, 0, "");
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
    make(&d, DIAGNOSIS_SAME_SERIALS | DIAGNOSIS_NO_SERIALS, "");
    assert_true(strlen(record.next) < sizeof(record.next) - 1);
    assert_true(strlen(record.found) < sizeof(record.found) - 1);
    assert_true(strlen(record.reasons) < sizeof(record.reasons) - 1);
    assert_true(strlen(record.history) < sizeof(record.history) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_the_first_run),
        cmocka_unit_test(modules_are_marked_before_they_are_moved),
        cmocka_unit_test(at_the_end),
        cmocka_unit_test(the_step_is_that_of_the_word),
        cmocka_unit_test(the_longest_fits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
