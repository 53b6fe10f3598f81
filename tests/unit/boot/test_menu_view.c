// SPDX-License-Identifier: MIT
#include "boot/uefi/menu/menu_view.h"

#include "tests/unit/unit.h"

static struct menu menu;
static struct menu_view view = { .columns = MENU_COLUMNS_MIN, .rows = MENU_ROWS_MIN };
static char screen[MENU_ROWS_MAX * (MENU_COLUMNS_MAX + 1) + 1];

static void begin_with(const char *conf, const char *cmdline, const char *qemu)
{
    menu_begin(&menu, &(struct menu_texts){ .text = { conf, cmdline, qemu } }, 5);
}

/* Draws; every line is whole and plain ASCII, and begins and ends with a blank. */
static const char *draw(void)
{
    char *end = screen;

    menu_draw(&menu, &view);
    for (size_t i = 0; i < view.rows; i++) {
        const char *text = view.line[i].text;

        assert_int_equal(strlen(text), view.columns);
        for (const char *c = text; *c; c++)
            assert_in_range(*c, ' ', '~');
        assert_int_equal(text[0], ' ');
        memcpy(end, text, view.columns);
        end += view.columns;
        *end++ = '\n';
    }
    *end = 0;
    return screen;
}

static bool shows(const char *text)
{
    return strstr(draw(), text) != NULL;
}

TEST(shows_the_entries_of_grubs_menu)
{
    static const char *const rows[] = {
        "> 1  Start (standard test) ",
        "  2  Standard test ",
        "  3  Quick test ",
        "  4  Thorough test ",
        "  5  Thorough, all night (repeats until stopped) ",
        "  6  Bandwidth of all NUMA nodes, then a quick test ",
        "  7  Standard test, screen on the serial port (115200 8N1) ",
        "  8  Tests, CPUs, time, beep, range, passes, lines ... ",
        "  9  Save these choices to okram.conf ... ",
        "  s  Start my system ",
        "  x  Restart ",
        "  o  Switch off ",
    };

    begin_with("", "", "");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_true(shows(rows[i]));
    assert_true(shows("okram " OKRAM_VERSION ": memory test "));
    assert_true(shows("Options: none "));
    assert_true(shows("Starts in 5 s. Enter: now. Number: choose. h: help. Any other key: wait."));
    menu_key(&menu, ' ');
    assert_false(shows("Starts in"));
}

TEST(marks_the_chosen_row_alone)
{
    begin_with("", "", "");
    menu_key(&menu, ' ');
    for (int i = 0; i < 3; i++)
        menu_key(&menu, MENU_KEY_DOWN);
    draw();
    for (size_t i = 0; i < view.rows; i++)
        assert_int_equal(view.line[i].look == MENU_LOOK_CHOSEN, view.line[i].text[2] == '>');
    assert_true(shows("> 4  Thorough test"));
}

/* In the order in which they count. */
TEST(shows_the_options)
{
    begin_with("# c\ntests=quick\n nodes=0", "passes=2", "exit=qemu");
    menu_key(&menu, ' ');
    for (const char *key = "83"; *key; key++)
        menu_key(&menu, (unsigned char)*key);
    menu_key(&menu, MENU_KEY_BACKSPACE);
    menu_key(&menu, '7');
    assert_true(shows("passes=7_"));
    menu_key(&menu, MENU_KEY_ENTER);
    assert_true(shows("Options: tests=quick nodes=0 passes=2 passes=7 exit=qemu"));
    begin_with("", "", "nodes=0");
    assert_true(shows("> 1  Start (with the options below) "));
    begin_with("# all is a comment", "", "");
    assert_true(shows("> 1  Start (standard test) "));
    for (const char *key = " 83\b2\n\e"; *key; key++)
        menu_key(&menu, *key == '\b'   ? MENU_KEY_BACKSPACE
                        : *key == '\n' ? MENU_KEY_ENTER
                        : *key == '\e' ? MENU_KEY_ESC
                                       : (unsigned char)*key);
    assert_true(shows("Start (with the options below) ") && shows("Options: passes=2 "));
}

TEST(cuts_what_is_too_long)
{
    char conf[3000] = "";

    for (int i = 0; i < 200; i++)
        strcat(conf, "option=value ");
    begin_with(conf, "", "");
    assert_true(shows(" ..."));
    assert_false(shows("option=value...") || shows("option=value\noption"));
    memset(conf, 'x', sizeof(conf) - 1);
    begin_with(conf, "", "");
    assert_true(shows("xxx"));

    begin_with("", "", "");
    memset(menu.notice, 'y', sizeof(menu.notice) - 1);
    draw();
    menu.screen = MENU_VALUE;
    memset(menu.typed, '1', MENU_VALUE_MAX - 1);
    assert_true(shows("range=1"));
    assert_true(shows("1_ "));
}

/* The longest warning of the parser, and no line lost to another. */
TEST(shows_the_longest_warning)
{
    static const char keys[] = { ' ', '8', '1', 'x' };

    begin_with("", "", "");
    for (size_t i = 0; i < sizeof(keys); i++)
        menu_key(&menu, (unsigned char)keys[i]);
    for (int i = 0; i < 100; i++)
        menu_key(&menu, '1');
    menu_key(&menu, MENU_KEY_ENTER);
    assert_true(shows("is ignored: expected all or at most 16 START-END"));
    assert_true(shows("Enter: accept"));
}

static struct menu_report report;

static void begin_with_report(unsigned n_volumes)
{
    report = (struct menu_report){ .headline = "FAIL, 1 bad page, 2026-11-22 13:14",
                                   .notice = "Written.",
                                   .n_volumes = n_volumes,
                                   .volume = { "A", "B", "C", "D", "E" } };
    strcpy(report.page, "First paragraph.\n\nThird one.\n");
    menu_begin(&menu, &(struct menu_texts){ .text = { "", "", "" }, .report = &report }, 5);
}

TEST(shows_the_last_report)
{
    begin_with_report(0);
    assert_true(shows("Last report: FAIL, 1 bad page, 2026-11-22 13:14 "));
    assert_true(shows("  l  The last report: FAIL, 1 bad page, 2026-11-22 13:14 "));
    assert_true(shows("Written. ") && shows("Starts in 5 s"));
    menu_key(&menu, ' ');
    menu_key(&menu, 'l');
    assert_true(shows(": the last report "));
    assert_true(shows("First paragraph. ") && shows("Third one. ") && shows("> 1  Back "));
    assert_false(shows("Last report:") || shows("Options:"));
}

/* However long it is: rows, notice and help are not written over. */
TEST(the_longest_report)
{
    begin_with_report(MENU_VOLUMES_MAX);
    memset(report.page, 'x', sizeof(report.page) - 1);
    menu_key(&menu, ' ');
    menu_key(&menu, 'l');
    memset(menu.notice, 'y', sizeof(menu.notice) - 1);
    assert_true(shows("xxx ") && shows("> 1  Write it to A ") && shows("  5  Write it to E ") &&
                shows("  6  Back "));
    assert_true(shows("yyy") && shows("Esc: back"));

    report.page[0] = 0;
    for (int i = 0; i < 40; i++)
        strcat(report.page, "A line.\n");
    assert_true(shows("A line. ") && shows("> 1  Write it to A "));
}

static struct menu_guard guard;

TEST(shows_the_guard)
{
    guard = (struct menu_guard){ .headline = "not installed",
                                 .page = "First.\nSecond.\n",
                                 .n_choices = MENU_GUARD_CHOICES_MAX };
    for (unsigned i = 0; i < MENU_GUARD_CHOICES_MAX; i++)
        memset(guard.choice[i], 'a' + (int)i, sizeof(guard.choice[i]) - 1);
    menu_begin(&menu,
               &(struct menu_texts){ .text = { "", "", "" }, .report = &report, .guard = &guard },
               5);
    menu_key(&menu, ' ');
    assert_true(shows("  g  The guard: not installed ") && shows("Options:"));
    assert_int_equal(menu_key(&menu, 'g'), MENU_OPENS_GUARD);
    menu_guard_done(&menu, "Done.");
    assert_true(shows(": the guard ") && shows("First. ") && shows("Second. ") && shows("Done. "));
    assert_true(shows("> 1  aaa") && shows("  9  iii") && shows("  0  Back "));
    menu_key(&menu, '8');
    strcpy(guard.question, "This will be written.\n- all\n");
    menu_guard_done(&menu, "");
    assert_true(shows(": the guard, before anything is changed ") && shows("- all "));
    assert_true(shows("> 1  No, change nothing ") && shows("  2  Yes, do it "));
    assert_false(shows("First. ") || shows("Options:"));
}

TEST(shows_the_diagnosis)
{
    static struct menu_diagnosis diagnosis = { .headline = "Find the bad module",
                                               .page = "A.\n\1Take out DIMM_A2.\n",
                                               .first = MENU_FIRST_OPENS,
                                               .n_choices = 1,
                                               .choice = { "Start the test" } };

    menu_begin(
        &menu,
        &(struct menu_texts){
            .text = { "", "", "" }, .report = &report, .guard = &guard, .diagnosis = &diagnosis },
        5);
    assert_true(shows("> f  Find the bad module ") && shows("  1  Start (standard test"));
    assert_true(shows("  g  The guard: not installed ") && shows("Options:"));
    assert_true(shows("Goes on in 5 s. Enter: now. Number: choose. h: help. Any other key: wait."));
    diagnosis.first = MENU_FIRST_STARTS;
    assert_true(shows("Starts in 5 s. Enter: now."));
    menu_key(&menu, MENU_KEY_ENTER);
    menu_diagnosis_done(&menu, "Done.");
    assert_true(shows(": find the bad module ") && shows("Take out DIMM_A2. ") && shows("Done. "));
    assert_true(shows("> 1  Start the test ") && shows("  2  Back ") && !shows("Options:"));
    assert_int_equal(view.line[2].look, MENU_LOOK_PLAIN);
    assert_int_equal(view.line[3].look, MENU_LOOK_TITLE);
}

/* Of paragraphs that do not fit the last one that does says so. */
TEST(a_page_that_is_too_long)
{
    report.page[0] = 0;
    for (char c = 'a'; c < 'z'; c++) {
        const char paragraph[] = { c, c, c, '\n', 0 };

        strcat(report.page, paragraph);
    }
    menu_begin(&menu, &(struct menu_texts){ .text = { "", "", "" }, .report = &report }, 5);
    menu.screen = MENU_REPORT;
    assert_true(shows(" ... ") && shows("aaa") && !shows("yyy"));
}

/* All rows, the longest notice, the options and the keys; on larger screens, more of a page. */
TEST(fits_every_size)
{
    static const unsigned sizes[][2] = { { 79, 24 },  { 80, 25 },  { 100, 37 },
                                         { 120, 40 }, { 144, 50 }, { 80, 90 } };
    static struct menu_diagnosis diagnosis = { .headline = "Find the bad module" };

    a_page_that_is_too_long(NULL);
    menu_begin(
        &menu,
        &(struct menu_texts){
            .text = { "", "", "" }, .report = &report, .guard = &guard, .diagnosis = &diagnosis },
        0);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        view.columns = sizes[i][0];
        view.rows = sizes[i][1];
        menu.screen = MENU_MAIN;
        memset(menu.notice, 'y', sizeof(menu.notice) - 1);
        assert_true(shows("  f  Find the bad module ") && shows("  o  Switch off ") &&
                    shows("Last report: "));
        assert_true(shows("yyyy") && shows("h: help"));
        menu.notice[0] = 0;
        assert_true(shows("Options: none"));
        menu.screen = MENU_REPORT;
        assert_int_equal(shows("yyy"), view.rows >= 40);
        menu.screen = MENU_HELP;
        assert_true(shows("Which test?") && shows("skip to the next test") && shows(" 1  Back") &&
                    !shows(" ..."));
    }
    view.columns = MENU_COLUMNS_MIN;
    view.rows = MENU_ROWS_MIN;
}
