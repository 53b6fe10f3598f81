// SPDX-License-Identifier: MIT
#include "boot/uefi/menu/menu_model.h"
#include "options/cycles.h"

#include "tests/unit/unit.h"

static struct menu menu;

static void begin_with(const char *conf, const char *cmdline, const char *qemu)
{
    menu_begin(&menu, &(struct menu_texts){ .text = { conf, cmdline, qemu } }, 5);
}

/* Printable characters are themselves; '^' up, 'v' down, '\n' Enter, '\e' Esc, '\b' backspace. */
static enum menu_action press(const char *keys)
{
    enum menu_action action = MENU_CONTINUES;

    for (; *keys; keys++) {
        assert_int_equal(action, MENU_CONTINUES);
        action = menu_key(&menu, *keys == '^'    ? MENU_KEY_UP
                                 : *keys == 'v'  ? MENU_KEY_DOWN
                                 : *keys == '\n' ? MENU_KEY_ENTER
                                 : *keys == '\e' ? MENU_KEY_ESC
                                 : *keys == '\b' ? MENU_KEY_BACKSPACE
                                                 : (unsigned char)*keys);
    }
    return action;
}

static const char *words(void)
{
    static char text[2048];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    menu_words(&menu, &b);
    assert_false(b.cut);
    return text;
}

static const char *row(unsigned n)
{
    static char text[300];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    menu_append_row(&menu, n, &b);
    return text;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

TEST(counts_down)
{
    begin_with("tests=quick", "", "");
    for (unsigned left = 5; left > 1; left--) {
        assert_int_equal(menu.seconds, left);
        assert_int_equal(menu_second(&menu), MENU_CONTINUES);
    }
    assert_int_equal(menu_second(&menu), MENU_STARTS);
    assert_string_equal(words(), "");
}

TEST(any_key_stops_the_count_down)
{
    static const unsigned keys[] = { ' ', 'x', MENU_KEY_ESC, MENU_KEY_BACKSPACE, MENU_KEY_OTHER };

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        begin_with("", "", "");
        assert_int_equal(menu_key(&menu, keys[i]), MENU_CONTINUES);
        assert_int_equal(menu.seconds, 0);
        assert_int_equal(menu.row, 0);
        for (int s = 0; s < 10; s++)
            assert_int_equal(menu_second(&menu), MENU_CONTINUES);
    }
}

/* Nothing starts before a person has seen it: in okram.conf, load options, or QEMU's. */
TEST(a_wrong_word_stops_the_count_down)
{
    static const struct {
        const char *conf, *cmdline, *qemu, *notice; /* NULL: none */
    } cases[] = {
        { "test=quick tests=quik", "", "",
          "Wrong options: option test is unknown and ignored. "
          "tests=, character 1: \"quik\" is not a test or level" },
        { "", "tests=quik", "",
          "Wrong options: tests=, character 1: \"quik\" is not a test or level" },
        { "", "", "range=3-2", "Wrong options: option range=3-2 is ignored" },
        { "", "march={up(r0)}", "", "Wrong options: march={up(r0)}: at character 5, a write" },
        { "tests=march", "", "",
          "Wrong options: tests=, character 1: march is the march test of march=" },
        { "tests=quick # test=quick", "passes=2", "range=0-4G", NULL },
        { "tests=quik", "tests=quick", "", NULL }, /* a later one counts */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin_with(cases[i].conf, cases[i].cmdline, cases[i].qemu);
        assert_int_equal(menu.seconds, cases[i].notice ? 0 : 5);
        assert_int_equal(menu.shows_wrong, cases[i].notice != NULL);
        if (!cases[i].notice) {
            assert_string_equal(menu.notice, "");
            continue;
        }
        assert_ptr_equal(strstr(menu.notice, cases[i].notice), menu.notice);
        for (int s = 0; s < 100; s++)
            assert_int_equal(menu_second(&menu), MENU_CONTINUES);
        assert_int_equal(press("1"), MENU_STARTS); /* whoever has read it may start */
    }
}

/* Whoever began these starts has seen it; nobody may be there at the others. */
TEST(a_wrong_word_does_not_stop_further_starts)
{
    struct cycles c = { .wanted = 3, .id = 7 };

    for (int lost = 0; lost < 2; lost++) {
        char words[200];
        struct fmt_buffer b = fmt_buffer_make(words, sizeof(words));

        c.lost = (uint32_t)lost;
        fmt_append(&b, "tests=quik cycles=");
        cycles_append(&b, &c);
        begin_with("", words, "");
        assert_int_equal(menu.seconds, lost ? 5 : 0);
        assert_ptr_equal(strstr(menu.notice, "Wrong options"), menu.notice);
    }
}

TEST(the_first_key_does_its_work)
{
    begin_with("", "", "");
    assert_int_equal(press("\n"), MENU_STARTS);
    assert_string_equal(words(), "");
    begin_with("", "", "");
    assert_int_equal(press("3"), MENU_STARTS);
    assert_string_equal(words(), "tests=quick bandwidth=quick passes=1");
    begin_with("", "", "");
    assert_int_equal(press("v"), MENU_CONTINUES);
    assert_int_equal(menu.row, 1);
    assert_int_equal(menu.seconds, 0);
}

TEST(reads_the_seconds)
{
    static const struct {
        const char *conf, *cmdline, *qemu;
        unsigned seconds;
    } cases[] = {
        { "", "", "", 5 },
        { "menu=0", "", "", 0 },
        { "menu=0", "menu=7", "", 7 },
        { "menu=3", "menu=7", "menu=0", 0 },
        { "menu=3 x=y tests", "menu=soon", "", 3 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(menu_seconds(&(struct menu_texts){
                             .text = { cases[i].conf, cases[i].cmdline, cases[i].qemu } }),
                         cases[i].seconds);
}

TEST(starts)
{
    static const struct {
        const char *keys, *words;
    } cases[] = {
        { "1", "" },
        { "\n", "" },
        { "2", "tests=standard bandwidth=quick passes=1" },
        { "v\n", "tests=standard bandwidth=quick passes=1" },
        { "3", "tests=quick bandwidth=quick passes=1" },
        { "^^^^^^^^^^\n", "tests=quick bandwidth=quick passes=1" },
        { "4", "tests=thorough bandwidth=quick passes=1" },
        { "5", "tests=thorough bandwidth=quick passes=0" },
        { "6", "tests=quick bandwidth=full passes=1" },
        { "7", "tests=standard bandwidth=quick serial=ui passes=1" },
        /* With settings; passes=0 is what the fifth entry is about. */
        { "81\b\b\b0-4G\n3\b7\n\e3", "tests=quick bandwidth=quick range=0-4G passes=7" },
        { "83\b7\n\e5", "tests=thorough bandwidth=quick passes=0" },
        { "84,xen\n\e1", "lines=grub,memmap,xen" },
        /* Which tests is for the first entry alone. */
        { "85\b\b\b\b\b\b\b\bfade\n6\b\b\b0-3\n7\b8h\n8\b\b\bfault\n\e1",
          "tests=fade cpus=0-3 time=8h beep=fault" },
        { "85\b\b\b\b\b\b\b\bfade\n\e3", "tests=quick bandwidth=quick passes=1" },
        { "8vv\n\b3\n^\n\b\b\b0,2-3\n91", "nodes=0,2-3 passes=3" },
        /* Esc drops what was typed; what is configured is not a choice. */
        { "83\b7\e\e1", "" },
        { "83\n\e1", "" },
        { "83\b7\n3\b1\n\e1", "" },
        /* Keys that nothing is on. */
        { "0z\e \b1", "" },
        { "8\b0z\e1", "" },
        { "hz\e8h\n\e1", "" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin_with("", "", "");
        assert_int_equal(press(" "), MENU_CONTINUES);
        assert_int_equal(press(cases[i].keys), MENU_STARTS);
        assert_string_equal(words(), cases[i].words);
    }
}

TEST(shows_what_is_configured)
{
    begin_with("range=0-4G nodes=1 # range=1M-2M", "passes=3 nodes=7-5", "nodes=2 range");
    press(" 8");
    assert_true(begins(row(MENU_RANGE), "range  = 0-4G "));
    assert_true(begins(row(MENU_NODES), "nodes  = 2 "));
    assert_true(begins(row(MENU_PASSES), "passes = 3 "));
    assert_true(begins(row(MENU_REPORT_LINES), "lines  = grub,memmap "));
    assert_string_equal(row(MENU_N_SETTINGS), "Back");
}

/* At once, by the sentence of the kernel's parser; what was typed stays, to be corrected. */
TEST(explains_bad_values)
{
    static const struct {
        const char *setting, *typed, *notice;
    } cases[] = {
        { "1", "2G-1G", "option range=2G-1G is ignored: expected all or at most 16 START-END" },
        { "1", "", "option range= is ignored: expected all" },
        { "2", "x", "option nodes=x is ignored: expected all or a list such as 0,2-5" },
        { "3", "-1", "option passes=-1 is ignored: expected a number of passes" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin_with("", "", "");
        press(" 8");
        press(cases[i].setting);
        press("\b\b\b\b");
        press(cases[i].typed);
        press("\n");
        assert_int_equal(menu.screen, MENU_VALUE);
        assert_string_equal(menu.typed, cases[i].typed);
        assert_int_equal(strncmp(menu.notice, cases[i].notice, strlen(cases[i].notice)), 0);
        press("\e\e1");
        assert_string_equal(words(), "");
    }
}

TEST(takes_no_more_than_fits)
{
    begin_with("", "", "");
    press(" 81");
    for (int i = 0; i < 1000; i++)
        press("1");
    assert_int_equal(strlen(menu.typed), MENU_VALUE_MAX - 1);
    press("\n");
    assert_int_equal(menu.screen, MENU_VALUE);
}

TEST(saves)
{
    begin_with("", "", "");
    press(" 83\b4\n\e9");
    assert_int_equal(menu.screen, MENU_SAVE);
    assert_int_equal(press("3"), MENU_SAVES);
    assert_string_equal(words(), "tests=quick bandwidth=quick passes=4");
    menu_saved(&menu, "Saved.");
    assert_int_equal(menu.screen, MENU_MAIN);
    assert_string_equal(menu.notice, "Saved.");
    assert_int_equal(press("v"), MENU_CONTINUES);
    assert_string_equal(menu.notice, "");
    assert_int_equal(press("91"), MENU_SAVES);
    assert_string_equal(words(), "passes=4");
}

/* What is in okram.conf now is not a choice any more. */
TEST(drops_what_is_saved)
{
    char conf[64] = "";

    begin_with(conf, "", "");
    assert_int_equal(press(" 83\b4\n2\b\b\b0\n\e91"), MENU_SAVES);
    assert_string_equal(words(), "nodes=0 passes=4");
    strcpy(conf, "passes=4");
    menu_saved(&menu, "Saved.");
    assert_string_equal(words(), "nodes=0");
}

TEST(saves_nothing_where_nothing_was_changed)
{
    begin_with("", "", "");
    assert_int_equal(press(" 91"), MENU_CONTINUES);
    assert_int_equal(menu.screen, MENU_MAIN);
    assert_non_null(strstr(menu.notice, "Nothing was saved"));
    press("9\e");
    assert_int_equal(menu.screen, MENU_MAIN);
}

static struct menu_report report;

static void begin_with_report(unsigned n_volumes)
{
    report = (struct menu_report){ .headline = "PASS, 2026-11-22 13:14",
                                   .notice = "Written.",
                                   .page = "PASS.\nAll of it.\n",
                                   .n_volumes = n_volumes,
                                   .volume = { "STICK (4 GiB)", "DISK (1 TiB)", "C" } };
    menu_begin(&menu, &(struct menu_texts){ .text = { "", "", "" }, .report = &report }, 5);
}

TEST(without_a_report_there_is_no_row)
{
    begin_with("", "", "");
    assert_int_equal(menu_n_rows(&menu), 12);
    press(" l0");
    assert_int_equal(menu.screen, MENU_MAIN);
    press("^");
    assert_string_equal(row(menu.row), "Switch off");
}

TEST(shows_the_report)
{
    begin_with_report(0);
    assert_string_equal(menu.notice, "Written.");
    press(" ");
    assert_string_equal(menu.notice, "Written."); /* the key that stops the count-down */
    assert_int_equal(menu_n_rows(&menu), 13);
    assert_string_equal(row(9), "The last report: PASS, 2026-11-22 13:14");
    press("L");
    assert_int_equal(menu.screen, MENU_REPORT);
    assert_int_equal(menu_n_rows(&menu), 1);
    assert_string_equal(row(0), "Back");
    press("\n");
    assert_int_equal(menu.screen, MENU_MAIN);
    assert_int_equal(menu.row, 9);
    press("\n\e");
    assert_int_equal(menu.screen, MENU_MAIN);
    assert_int_equal(press("^^^^^^^^^\n"), MENU_STARTS);
}

TEST(writes_the_report)
{
    begin_with_report(2);
    press(" l");
    assert_int_equal(menu_n_rows(&menu), 3);
    assert_string_equal(row(1), "Write it to DISK (1 TiB)");
    assert_string_equal(row(2), "Back");
    assert_int_equal(press("2"), MENU_WRITES);
    assert_int_equal(menu.row, 1);
    menu_written(&menu, "It is full.");
    assert_int_equal(menu.screen, MENU_REPORT);
    assert_string_equal(menu.notice, "It is full.");
    assert_int_equal(press("1"), MENU_WRITES);
    report.n_volumes = 0; /* as its owner does once it is written */
    menu_written(&menu, "It is written.");
    assert_int_equal(press("1"), MENU_CONTINUES);
    assert_int_equal(menu.screen, MENU_MAIN);
}

/* Each screen, each row, each key in any order: it stays in its tables, and shows a row. */
TEST(survives_any_keys)
{
    uint32_t random = 1;

    begin_with_report(3);
    menu.seconds = 0;
    for (int i = 0; i < 100000; i++) {
        unsigned n;

        random = random * 1664525 + 1013904223;
        n = random >> 16;
        switch (menu_key(&menu, n % 3 ? (unsigned char)"0123456789fhlgsxoabc"[n / 3 % 20]
                                      : MENU_KEY_ENTER + n / 3 % 7)) {
        case MENU_SAVES: menu_saved(&menu, ""); break;
        case MENU_WRITES:
            assert_true(menu.row < report.n_volumes);
            report.n_volumes = n % 4;
            menu_written(&menu, "");
            break;
        default: break;
        }
        assert_true(menu.row < menu_n_rows(&menu) || menu.screen == MENU_VALUE);
        if (menu.screen != MENU_VALUE)
            assert_true(strlen(row(menu.row)) > 0);
    }
}

static struct menu_guard guard;

static void begin_with_guard(const struct menu_report *of_last_run)
{
    guard = (struct menu_guard){ .headline = "not installed",
                                 .n_choices = 2,
                                 .choice = { "Install it on ESP", "... for rEFInd on ESP" } };
    menu_begin(
        &menu,
        &(struct menu_texts){ .text = { "", "", "" }, .report = of_last_run, .guard = &guard }, 5);
}

TEST(the_guard_has_a_row)
{
    begin_with_guard(NULL);
    assert_int_equal(menu_n_rows(&menu), 13);
    assert_string_equal(row(9), "The guard: not installed");
    assert_int_equal(press(" g"), MENU_OPENS_GUARD);
    begin_with_guard(&report);
    assert_int_equal(menu_n_rows(&menu), 14);
    assert_string_equal(row(10), "The guard: not installed");
    press(" l");
    assert_int_equal(menu.screen, MENU_REPORT);
    press("\e");
    assert_int_equal(menu.row, 9);
    assert_int_equal(press("v\n"), MENU_OPENS_GUARD);
    menu_guard_done(&menu, "");
    press("\e");
    assert_int_equal(menu.screen, MENU_MAIN);
    assert_int_equal(menu.row, 10);
}

TEST(the_guard_asks_once_and_no_is_first)
{
    begin_with_guard(NULL);
    press(" g");
    menu_guard_done(&menu, "");
    assert_int_equal(menu.screen, MENU_GUARD);
    assert_int_equal(menu_n_rows(&menu), 3);
    assert_string_equal(row(1), "... for rEFInd on ESP");
    assert_string_equal(row(2), "Back");
    assert_int_equal(press("2"), MENU_ASKS_GUARD);
    assert_int_equal(menu.guard_choice, 1);

    menu_guard_done(&menu, "It is full."); /* no question: it cannot be done */
    assert_int_equal(menu.screen, MENU_GUARD);
    assert_string_equal(menu.notice, "It is full.");

    assert_int_equal(press("2"), MENU_ASKS_GUARD);
    strcpy(guard.question, "This will be written.");
    menu_guard_done(&menu, "");
    assert_int_equal(menu.screen, MENU_GUARD_ASKS);
    assert_int_equal(menu_n_rows(&menu), 2);
    assert_string_equal(row(menu.row), "No, change nothing");
    press("\n");
    assert_int_equal(menu.screen, MENU_GUARD);
    assert_int_equal(menu.row, 1);

    press("\n");
    menu_guard_done(&menu, "");
    press("\e");
    assert_int_equal(menu.screen, MENU_GUARD);
    press("2");
    menu_guard_done(&menu, "");
    assert_string_equal(row(1), "Yes, do it");
    assert_int_equal(press("2"), MENU_CHANGES_GUARD);
    assert_int_equal(menu.guard_choice, 1);
    guard.question[0] = 0;
    menu_guard_done(&menu, "Done.");
    assert_int_equal(menu.screen, MENU_GUARD);
    assert_string_equal(menu.notice, "Done.");
    press("3");
    assert_int_equal(menu.screen, MENU_MAIN);
    assert_int_equal(menu.row, 9);
}

static struct menu_diagnosis diagnosis;

static void begin_with_diagnosis(enum menu_first first)
{
    diagnosis = (struct menu_diagnosis){ .headline = "Find the bad module",
                                         .notice = "Damaged.",
                                         .first = first,
                                         .n_choices = 2,
                                         .choice = { "Start the test", "Forget it" } };
    report = (struct menu_report){ .headline = "FAIL", .notice = "Written." };
    menu_begin(
        &menu,
        &(struct menu_texts){ .text = { "", "", "" }, .report = &report, .diagnosis = &diagnosis },
        2);
}

TEST(the_diagnosis_is_the_first_row)
{
    begin_with_diagnosis(MENU_FIRST_WAITS);
    assert_int_equal(menu_n_rows(&menu), 14);
    assert_string_equal(row(0), "Find the bad module");
    assert_string_equal(row(1), "Start (standard test)");
    assert_string_equal(row(10), "The last report: FAIL");
    assert_string_equal(menu.notice, "Damaged.");
    assert_int_equal(press(" 3"), MENU_STARTS);
    assert_string_equal(words(), "tests=quick bandwidth=quick passes=1");
    begin_with_diagnosis(MENU_FIRST_WAITS);
    press(" 8\e");
    assert_int_equal(menu.row, 8);
    press("9\e");
    assert_int_equal(menu.row, 9);
    assert_int_equal(press("f"), MENU_OPENS_DIAGNOSIS);
    assert_int_equal(menu_diagnosis_done(&menu, "Note."), MENU_CONTINUES);
    assert_int_equal(menu.screen, MENU_DIAGNOSIS);
    assert_string_equal(menu.notice, "Note.");
    assert_string_equal(row(2), "Back");
    press("\e");
    assert_int_equal(menu.screen, MENU_MAIN);
    assert_int_equal(menu.row, 0);
}

/* Whichever rows are there. */
TEST(each_row_keeps_its_key)
{
    static const struct {
        char key;
        const char *begin;
    } rows[] = {
        { 'f', "Find the bad module" },
        { '1', "Start (" },
        { '2', "Standard test" },
        { '3', "Quick test" },
        { '4', "Thorough test" },
        { '5', "Thorough, all night (repeats until stopped)" },
        { '6', "Bandwidth of all NUMA nodes" },
        { '7', "Standard test, screen on the serial port" },
        { '8', "Tests, CPUs, time, beep, " },
        { '9', "Save these choices" },
        { 'l', "The last report: " },
        { 'g', "The guard: " },
        { 's', "Start my system" },
        { 'x', "Restart" },
        { 'o', "Switch off" },
    };

    for (unsigned there = 0; there < 8; there++) {
        unsigned n = 0;

        begin_with_diagnosis(MENU_FIRST_WAITS);
        guard.headline[0] = 'x';
        menu.texts.diagnosis = there & 1 ? &diagnosis : NULL;
        menu.texts.report = there & 2 ? &report : NULL;
        menu.texts.guard = there & 4 ? &guard : NULL;
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            if (n < menu_n_rows(&menu) && menu_row_key(&menu, n) == rows[i].key)
                assert_true(begins(row(n++), rows[i].begin));
        }
        assert_int_equal(n, menu_n_rows(&menu));
        assert_int_equal(n, 12 + (there & 1) + (there >> 1 & 1) + (there >> 2));
    }
}

/* By letters, but not while the count-down runs: there any letter stops it. */
TEST(leaves_restarts_and_switches_off)
{
    static const struct {
        const char *key;
        enum menu_action action;
    } rows[] = { { "s", MENU_LEAVES }, { "X", MENU_RESTARTS }, { "o", MENU_POWERS_OFF } };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin_with("", "", "");
        assert_int_equal(press(rows[i].key), MENU_CONTINUES);
        assert_int_equal(press(rows[i].key), rows[i].action);
    }
}

TEST(help_returns_to_where_it_was_asked_for)
{
    begin_with("", "", "");
    press(" 8vvh");
    assert_int_equal(menu.screen, MENU_HELP);
    press("h\n");
    assert_int_equal(menu.screen, MENU_SETTINGS);
    assert_int_equal(menu.row, 2);
    press("5h"); /* it can be part of what is typed */
    assert_int_equal(menu.screen, MENU_VALUE);
    assert_string_equal(menu.typed, "standardh");
    menu_key(&menu, MENU_KEY_HELP);
    assert_int_equal(menu.screen, MENU_HELP);
    press("\e");
    assert_string_equal(menu.typed, "standardh");
}

static double a_nanosecond(const struct test *test)
{
    return 1e-9;
}

/* With what is set: 2^30 bytes, each operation a nanosecond a byte, by two CPUs. */
TEST(says_how_long_it_takes)
{
    static const struct menu_machine machine = {
        .ram_bytes = UINT64_C(1) << 30, .n_cpus = 2, .speed_up = 2, .seconds_a_byte = a_nanosecond
    };
    struct menu_texts texts = { .text = { "", "", "" }, .machine = &machine };

    menu_begin(&menu, &texts, 5);
    assert_string_equal(row(2), "Quick test, about 9 seconds");
    assert_string_equal(row(4),
                        "Thorough, all night (repeats until stopped), about 15 minutes a pass");
    press(" 83\b7\n\e");
    assert_string_equal(row(2), "Quick test, about 50 seconds");
    press("87\b8h\n\e");
    assert_string_equal(row(2), "Quick test, about 50 seconds");
    assert_string_equal(row(4), "Thorough, all night (repeats until stopped), about 8 hours");
}

TEST(a_count_down_does_what_is_chosen)
{
    static const struct {
        enum menu_first first;
        enum menu_action action;
        unsigned row;
    } cases[] = {
        { MENU_FIRST_WAITS, MENU_STARTS, 1 },
        { MENU_FIRST_OPENS, MENU_OPENS_DIAGNOSIS, 0 },
        { MENU_FIRST_STARTS, MENU_DIAGNOSES, 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin_with_diagnosis(cases[i].first);
        assert_int_equal(menu.row, cases[i].row);
        assert_int_equal(menu_second(&menu), MENU_CONTINUES);
        assert_int_equal(menu_second(&menu), cases[i].action);
        assert_int_equal(menu.diagnosis_choice, 0);
        for (int s = 0; s < 10; s++) /* once: a page waits */
            assert_int_equal(menu_second(&menu), MENU_CONTINUES);
    }
}

/* Its options alone; passes= that were set here are those of other tests. */
TEST(a_run_of_the_diagnosis)
{
    begin_with_diagnosis(MENU_FIRST_OPENS);
    press(" 83\b7\n\e");
    assert_int_equal(press("f"), MENU_OPENS_DIAGNOSIS);
    menu_diagnosis_done(&menu, "");
    assert_int_equal(press("1"), MENU_DIAGNOSES);
    assert_int_equal(menu.diagnosis_choice, 0);
    strcpy(diagnosis.words, "passes=40 diagnosis=abcd");
    assert_int_equal(menu_diagnosis_done(&menu, ""), MENU_STARTS);
    assert_string_equal(words(), "passes=40 diagnosis=abcd");
}

TEST(a_diagnosis_that_is_forgotten)
{
    begin_with_diagnosis(MENU_FIRST_STARTS);
    assert_int_equal(press("\n"), MENU_DIAGNOSES);
    begin_with_diagnosis(MENU_FIRST_STARTS);
    assert_int_equal(press(" f"), MENU_OPENS_DIAGNOSIS);
    menu_diagnosis_done(&menu, "");
    assert_int_equal(press("2"), MENU_DIAGNOSES);
    assert_int_equal(menu.diagnosis_choice, 1);
    diagnosis.headline[0] = 0;
    menu_diagnosis_done(&menu, "Forgotten.");
    assert_int_equal(menu.screen, MENU_MAIN);
    assert_int_equal(menu_n_rows(&menu), 13);
    assert_string_equal(row(0), "Start (standard test)");
    assert_int_equal(press("1"), MENU_STARTS);
}
