// SPDX-License-Identifier: MIT
/* Runs of a guided diagnosis, from one start to the next by the options that the last one shows. */

#include "tests/unit/unit.h"
#include "verdict/diagnose.h"
#include "event/events.h"

static struct smbios_memory slots;
static struct modules modules;
static struct diagnose diagnose;
static struct options options;
static struct diagnose_found found;
static struct test_list tests;
static struct event_diagnosis sent;
static unsigned n_sent;
static char said[2000];

void events_send(struct event *e)
{
    assert_int_equal(e->type, EVENT_DIAGNOSIS);
    sent = e->diagnosis;
    n_sent++;
}

static void say(void *ctx, const char *text)
{
    snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s\n", text);
}

static const struct warnings warnings = { say, NULL };

/* One module in each slot but where serial is NULL. */
static void fit(unsigned slot, const char *serial)
{
    struct smbios_slot *s = &slots.slot[slot];

    if (slots.n_slot <= slot)
        slots.n_slot = slot + 1;
    *s = (struct smbios_slot){ .is_ordinary = true, .is_populated = serial };
    snprintf(s->locator, sizeof(s->locator), "DIMM_%c1", 'A' + (char)slot);
    if (!serial)
        return;
    strcpy(s->serial, serial);
    s->size_bytes = UINT64_C(8) << 30;
    s->configured_mt_s = 3200;
    modules.module[modules.n++] =
        (struct module){ .slot = s, .jedec_mt_s = 3200, .configured_mt_s = 3200 };
}

static int set_up(void **state)
{
    memset(&slots, 0, sizeof(slots));
    memset(&modules, 0, sizeof(modules));
    memset(&found, 0, sizeof(found));
    found.tests = &tests;
    found.kind.kind = KIND_CELL;
    found.kind.confidence = KIND_SURE;
    n_sent = 0;
    fit(0, "1A2B3C4D");
    fit(1, "5E6F7A8B");
    return 0;
}

/* A start with these options. */
static void start(const char *words)
{
    struct test_word bad;

    memset(&diagnose, 0, sizeof(diagnose));
    said[0] = 0;
    options_set_defaults(&options);
    options_parse(&options, words, &warnings);
    assert_int_equal(tests_select(options.tests, options.march, &tests, &bad), STATUS_OK);
    diagnose_begin(&diagnose, &options, &slots, &modules, &warnings);
}

static void end(uint32_t passes, uint32_t failed)
{
    struct run_done done = { .passes = passes, .failed = failed };

    n_sent = 0;
    diagnose_end(&diagnose, &done, &found, &warnings);
}

TEST(a_run_without_faults_says_nothing, set_up)
{
    start("tests=quick");
    assert_int_equal(options.passes, 1);
    assert_int_equal(diagnose_enough(&diagnose), 0);
    end(1, 0);
    assert_int_equal(n_sent, 0);
    assert_string_equal(said, "");
}

TEST(a_run_with_faults_can_be_the_first, set_up)
{
    char words[sizeof(sent.record->words)];

    start("tests=march-c-,mats+,march-y");
    found.test_faults[0] = 3;
    found.test_faults[2] = 1;
    found.always = true;
    end(4, 3);
    assert_int_equal(n_sent, 1);
    assert_false(sent.begun);
    assert_true(sent.always);
    assert_int_equal(sent.passes, 4);
    assert_int_equal(sent.failed, 3);
    assert_string_equal(sent.kind, "cells");
    assert_string_equal(sent.record->tests, "march-c-,march-y");
    assert_string_equal(sent.record->next, "Switch the machine off, take out the module in DIMM_B1 "
                                           "(serial 5E6F7A8B). Then start okram again.");
    snprintf(words, sizeof(words), "tests=march-c-,march-y passes=%u diagnosis=%s",
             sent.record->next_passes, sent.record->code);
    assert_string_equal(sent.record->words, words);
}

static char first_words[sizeof(sent.record->words)];

/* The first run, and the words for the second. */
static const char *begin(void)
{
    start("tests=mats+");
    found.test_faults[0] = 1;
    end(3, 3);
    snprintf(first_words, sizeof(first_words), "%s", sent.record->words);
    return strstr(first_words, "diagnosis=");
}

TEST(passes_come_from_the_state_unless_they_are_given, set_up)
{
    const char *word = begin();
    unsigned passes = sent.record->next_passes;
    char words[sizeof(sent.record->words)];

    start(word);
    assert_int_equal(options.passes, passes);
    assert_int_equal(diagnose_enough(&diagnose), DIAGNOSIS_FAILURES_ENOUGH);
    end(1, 0);
    assert_true(sent.begun);
    assert_int_equal(sent.record->runs, 2);
    assert_string_equal(sent.record->tests, ""); /* the default level again */
    snprintf(words, sizeof(words), "passes=2 %s", word);
    start(words);
    assert_int_equal(options.passes, 2);
}

TEST(what_was_not_changed_or_otherwise_is_said, set_up)
{
    const char *word = begin();

    start(word);
    assert_string_equal(said, "Nothing has been changed since the last run.\n");
    fit(0, NULL);
    start(word);
    assert_non_null(strstr(said, "What is fitted now is not what was asked for: DIMM_B1."));
    end(5, 0);
    assert_int_equal(sent.record->runs, 2);
}

TEST(a_run_that_was_stopped_counts_if_it_had_faults, set_up)
{
    const char *word = begin();
    struct run_done stopped = { .stopped = true };

    fit(1, NULL);
    start(word);
    diagnose_end(&diagnose, &stopped, &found, &warnings);
    assert_int_equal(sent.record->runs, 1);
    assert_int_equal(sent.passes, 0);
    assert_string_equal(sent.record->next, "Leave everything as it is, and test again.");
    start(word);
    stopped.failed = 1;
    stopped.cut_failed = true;
    diagnose_end(&diagnose, &stopped, &found, &warnings);
    assert_int_equal(sent.record->runs, 2);
    assert_int_equal(sent.passes, 1);
    assert_int_equal(sent.failed, 1);
}

/* Addresses move with the modules, so that the fault may be in the rest. */
TEST(a_part_of_the_memory_is_warned_of, set_up)
{
    static const char part[] = "this run of the search for the bad module tests a part of the "
                               "memory: it may call a module good whose fault is in the rest; "
                               "leave range= and nodes= out\n";
    char words[sizeof(first_words) + 16];

    begin();
    snprintf(words, sizeof(words), "%s range=1M-2M", first_words);
    start(words);
    assert_non_null(strstr(said, part));
    snprintf(words, sizeof(words), "%s nodes=0", first_words);
    start(words);
    assert_non_null(strstr(said, part));
    start("range=1M-2M");
    assert_string_equal(said, "");
}

/* Then what is asked for next is said at once. */
TEST(a_machine_that_did_not_start, set_up)
{
    char words[sizeof(sent.record->words) + 1];

    fit(2, "1A2B3C4E");
    fit(3, "1A2B3C4F");
    begin();
    snprintf(words, sizeof(words), "%s!", first_words);
    start(words);
    assert_non_null(strstr(said, "the computer does not start with these modules"));
    assert_non_null(strstr(said, "Then start okram again."));
    assert_int_equal(diagnose.state.n_runs, 2);
    assert_int_equal(diagnose.state.run[1].passes, 0);
    end(3, 3);
    assert_int_equal(sent.record->runs, 3);
}

TEST(bad_words_are_named_and_ignored, set_up)
{
    static const char *const bad[] = { "diagnosis=hello", "diagnosis=!", "diagnosis=u" };
    static const char *const why[] = { "diagnosis=hello is ", ": it is empty;",
                                       ": it has a character that no such word has;" };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        start(bad[i]);
        assert_non_null(strstr(said, "is ignored, and the search starts again: "));
        assert_non_null(strstr(said, why[i]));
        assert_non_null(strstr(said, "; expected the word that okram has shown, such as "));
        assert_false(diagnose.goes_on);
        assert_int_equal(diagnose_enough(&diagnose), 0);
        end(1, 1);
        assert_int_equal(n_sent, 1);
        assert_false(sent.begun);
    }
}

TEST(another_machine_begins_anew, set_up)
{
    const char *word = begin();

    modules.n = 0;
    fit(0, "99887766");
    fit(1, "99887765");
    start(word);
    assert_non_null(strstr(said, "none of the modules that the search began with"));
    assert_false(diagnose.goes_on);
    assert_int_equal(options.passes, 1);
    end(1, 1);
    assert_false(sent.begun);
    assert_int_equal(sent.record->runs, 1);
}

/* Then the advice is all that there is, here and in the menu. */
TEST(with_one_module_or_none_there_is_no_search, set_up)
{
    for (unsigned i = 0; i < 2; i++) {
        slots.slot[i].is_soldered = true;
        start("tests=mats+");
        end(1, 1);
        assert_int_equal(n_sent, 0);
        assert_string_equal(said, "");
    }
    memset(&diagnose, 0, sizeof(diagnose));
    diagnose_begin(&diagnose, &options, NULL, &modules, &warnings);
    end(1, 1);
    assert_int_equal(n_sent, 0);
}

TEST(too_many_modules_are_named, set_up)
{
    for (unsigned i = 0; i < 9; i++) {
        char serial[9];

        snprintf(serial, sizeof(serial), "A0B0C0%02X", i);
        fit(i, serial);
    }
    start("tests=mats+");
    end(1, 0);
    assert_string_equal(said, "");
    end(1, 1);
    assert_int_equal(n_sent, 0);
    assert_non_null(strstr(said, "There are more modules or slots than a search can have"));
}

TEST(kinds_of_faults, set_up)
{
    static const struct {
        enum kind kind;
        enum kind_confidence confidence;
        const char *name;
    } cases[] = {
        { KIND_ROW, KIND_LIKELY, "cells" },
        { KIND_ROW, KIND_POSSIBLE, "unknown" },
        { KIND_PIN, KIND_SURE, "line" },
        { KIND_ADDRESS_LINE, KIND_SURE, "line" },
        { KIND_EVERYWHERE, KIND_LIKELY, "everywhere" },
        { KIND_UNCLEAR, KIND_SURE, "unknown" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        start("tests=mats+");
        found.kind.kind = cases[i].kind;
        found.kind.confidence = cases[i].confidence;
        end(1, 1);
        assert_string_equal(sent.kind, cases[i].name);
    }
}

#define MARCH "{any(w0);any(r0)}"

/* A march of a person's own is repeated by the next runs, if it has found faults. */
TEST(a_persons_march_is_repeated, set_up)
{
    char words[sizeof(sent.record->words)];

    start("tests=mats+,march march=" MARCH);
    found.test_faults[0] = 1;
    end(1, 1);
    assert_string_equal(sent.record->tests, "mats+");
    assert_string_equal(sent.record->march, "");
    found.test_faults[0] = 0;
    found.test_faults[1] = 1;
    start("tests=mats+,march march=" MARCH);
    end(1, 1);
    assert_string_equal(sent.record->tests, "march");
    assert_string_equal(sent.record->march, MARCH);
    assert_memory_equal(sent.record->words, "tests=march 'march=" MARCH "' passes=", 43);

    strcpy(words, sent.record->words);
    start("tests=mats+ march={any(r0)}"); /* which is not one */
    end(1, 1);
    assert_string_equal(sent.record->march, "");
    start(words);
    assert_true(diagnose.goes_on);
    assert_int_equal(tests.n_tests, 1);
    end(2, 2);
    assert_true(sent.begun);
    assert_string_equal(sent.record->tests, "march");
    assert_string_equal(sent.record->march, MARCH);
}
