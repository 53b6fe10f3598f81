// SPDX-License-Identifier: MIT
#include "guided.h"

static const char *page(void)
{
    static char text[3072];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    guide_append_page(&guide, &b);
    assert_false(b.cut);
    assert_true(!b.length || text[b.length - 1] == '\n');
    return text;
}

static const char *headline(void)
{
    static char text[100];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    guide_append_headline(&guide, &b);
    assert_in_range(b.length, guide.situation != GUIDE_NONE, 72);
    return text;
}

/* The choices by their first letters. */
static const char *choices(bool has_setup)
{
    static const char letters[] = { [GUIDE_START] = 't',
                                    [GUIDE_POWER_OFF] = 'o',
                                    [GUIDE_SETUP] = 's',
                                    [GUIDE_DID_NOT_START] = 'd',
                                    [GUIDE_FORGET] = 'f' };
    static char text[GUIDE_CHOICES + 1];
    enum guide_choice choice[GUIDE_CHOICES];
    unsigned n = guide_choices(&guide, has_setup, choice);

    for (unsigned i = 0; i < n; i++) {
        assert_in_range(strlen(guide_choice_text(&guide, choice[i])), 1, 60);
        text[i] = letters[choice[i]];
    }
    text[n] = 0;
    return text;
}

static bool says(const char *text)
{
    return strstr(page(), text) != NULL;
}

TEST(nothing)
{
    fitted = machine_of(2);
    start(false, false);
    assert_string_equal(headline(), "");
    assert_string_equal(page(), "");
    assert_string_equal(choices(true), "");
}

TEST(what_to_do_first)
{
    take_offer(4);
    assert_string_equal(choices(true), "otf"); /* nothing was asked for that could not start */
    assert_true(says("Addresses do not tell which module is bad"));
    assert_true(says("Switch the machine off, take out the module in DIMM_"));
    assert_true(says(" passes of march-c-, fewer once 3 of them had faults.\n"));
    assert_true(says("Tested so far:\nDIMM_A1, DIMM_A2, DIMM_B1 and DIMM_B2: faults in 3 of 3"));
    assert_memory_equal(headline(), "Find the bad module. NEXT STEP: test with ", 42);
}

TEST(at_the_next_start)
{
    take_offer(4);
    start(true, false);
    assert_string_equal(choices(true), "odtf");
    assert_true(says("Nothing has been changed since the last run.\n"));

    arrange(&guide.record.step.at);
    start(true, false);
    assert_string_equal(choices(true), "tof");
    assert_true(says("What is fitted now is what was asked for.\nThe test: up to "));
    assert_string_equal(headline(), "Find the bad module: test what is fitted now");
    assert_string_equal(guide_choice_text(&guide, GUIDE_START), "Start the test");

    fit(&fitted, 3, "1000AAA3");
    fit(&fitted, 2, "1000AAA2");
    fit(&fitted, 1, NULL);
    start(true, false);
    assert_string_equal(choices(true), "todf");
    assert_true(says("What is fitted now is not what was asked for: DIMM_"));
    assert_string_equal(guide_choice_text(&guide, GUIDE_START), "Test it as it is now");
}

TEST(settings)
{
    struct diagnosis d;

    fitted = machine_of(2);
    set_speed(&fitted, FAST, SLOW);
    d = begun(&fitted, 3, 3);
    d.kind = DIAGNOSIS_KIND_EVERYWHERE;
    report(&d, false);
    start(false, true);
    assert_string_equal(headline(), "Find the bad module, step by step");
    guide_accept(&guide, &fitted);
    assert_string_equal(choices(true), "sotf");
    assert_string_equal(choices(false), "otf");
    assert_true(says("Switch off XMP or EXPO"));
}

TEST(the_end)
{
    struct diagnosis d = ended();

    run_at(&d, ARRANGED(false, 0), 9, 0);
    keep(&d);
    fit(&fitted, 1, NULL);
    start(true, false);
    assert_string_equal(choices(true), "f");
    assert_true(
        says("\1The bad module is the one with serial number 1000AAA1 (part F5-6000), taken "
             "out of DIMM_A1 (in the first run in DIMM_A2).\nWith it in, faults came in "));
    assert_true(says("Tested so far, after 2 more:\nDIMM_A2: faults in 3 of 3 passes\n"));
    assert_string_equal(headline(), "BAD MODULE FOUND: serial 1000AAA1, taken out of DIMM_A1");
}

TEST(bad_input)
{
    take_offer(2);
    guide_begin(&guide, "", "firmware cannot read it", NULL, &fitted);
    assert_string_equal(choices(true), "f");
    assert_true(
        says("OkramDiagnosis cannot be used: firmware cannot read it.\nSo the search starts "
             "again: "));
    assert_string_equal(headline(), "Find the bad module: what was kept is damaged");

    guide_begin(&guide, "zzzz", NULL, jsonl, &fitted);
    guide_accept(&guide, &fitted); /* named, too, where a search begins at once */
    assert_true(says("OkramDiagnosis cannot be used: it is of another version of okram, or its "
                     "first character is wrong.\nAddresses do not tell"));

    report_line("zzzz", "\"begun\":true");
    start(false, true);
    assert_string_equal(choices(true), "f");
    assert_true(says("The result in the report of the last run could not be read: its word is "
                     "damaged, or of another version.\nSo the search starts again: "));
    start(true, true);
    assert_true(says("or of another version.\nNothing has been"));

    fitted = (struct diagnosis_machine){ 0 };
    fit(&fitted, 0, "BBBB0001");
    start(true, false);
    assert_string_equal(choices(true), "f");
    assert_true(says("none of the modules that the search began with"));
    assert_string_equal(headline(), "Find the bad module: it cannot go on");
}
