// SPDX-License-Identifier: MIT
/*
 * The loader's menu: keys in, state, lines of text out (menu_view.h). Pure; menu.h connects it to
 * firmware's keyboard and screen.
 *
 * Screens: the main one, whose entries start a test; the settings (range, tests, time and so on);
 * one to type a value; one to choose what is saved to okram.conf; the report of
 * the last run, if there is one; the guard, and the question whether what it needs is to be
 * written; the guided diagnosis, whose row is the first one while there is one; help.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "display/framebuffer.h"
#include "lib/fmt.h"
#include "lib/warn.h"
#include "menu_time.h"

#define MENU_VALUE_MAX 256 /* of a typed value, with the NUL */

/* Keys without a character; the others are their printable ASCII character. */
enum menu_key {
    MENU_KEY_ENTER = 0x100,
    MENU_KEY_ESC,
    MENU_KEY_UP,
    MENU_KEY_DOWN,
    MENU_KEY_BACKSPACE,
    MENU_KEY_HELP,  /* and h, where nothing is typed */
    MENU_KEY_OTHER, /* does nothing but to stop the count-down */
};

enum menu_action {
    MENU_CONTINUES,
    MENU_STARTS, /* the test, with the options of menu_words() added */
    MENU_SAVES,  /* menu_words() to okram.conf; menu_saved() then takes the answer */
    MENU_WRITES, /* the report to volume `row`; menu_written() then takes the answer */

    /* The page on the guard is made; menu_guard_done() then takes the answer. */
    MENU_OPENS_GUARD,
    MENU_ASKS_GUARD,    /* the question of choice `row` is made */
    MENU_CHANGES_GUARD, /* what was asked about choice `guard_choice` is done */

    /* menu_diagnosis_done() then takes the answer. */
    MENU_OPENS_DIAGNOSIS, /* the page is made */
    MENU_DIAGNOSES,       /* choice `diagnosis_choice` of it is done */

    MENU_LEAVES, /* firmware starts what comes next */
    MENU_RESTARTS,
    MENU_POWERS_OFF,
};

enum menu_screen {
    MENU_MAIN,
    MENU_SETTINGS,
    MENU_VALUE,
    MENU_SAVE,
    MENU_REPORT,
    MENU_GUARD,
    MENU_GUARD_ASKS,
    MENU_DIAGNOSIS,
    MENU_HELP,
};

enum menu_setting {
    MENU_RANGE,
    MENU_NODES,
    MENU_PASSES,
    MENU_REPORT_LINES,
    MENU_TESTS,
    MENU_CPUS,
    MENU_TIME,
    MENU_BEEP,
    MENU_N_SETTINGS
};

/* The report of the last run. The names of volumes are the caller's. */
#define MENU_VOLUMES_MAX 5

struct menu_report {
    char headline[76];             /* what is shown of it on the main screen */
    char notice[WARNING_TEXT_MAX]; /* on the main screen until a key is pressed, or "" */
    char page[2048];               /* paragraphs; each is a line */
    unsigned n_volumes;            /* that it can be written to */
    const char *volume[MENU_VOLUMES_MAX];
};

/* The guard, which masks bad pages for every system. */
#define MENU_GUARD_CHOICES_MAX 9

struct menu_guard {
    char headline[60]; /* what is shown of it on the main screen */
    char page[2048];   /* paragraphs; each is a line */
    unsigned n_choices;
    char choice[MENU_GUARD_CHOICES_MAX][72];
    char question[2048]; /* what the choice that was asked for writes, in paragraphs; or "" */
};

/* What its row on the main screen does, and whether it is chosen when nobody presses a key. */
enum menu_first {
    MENU_FIRST_WAITS,  /* opens the page; the row after it is chosen */
    MENU_FIRST_OPENS,  /* opens the page */
    MENU_FIRST_STARTS, /* choice 0, as long as the count-down runs; then it opens the page */
};

/* The guided diagnosis. A paragraph of its page that begins with MENU_STRONG stands out. */
#define MENU_STRONG                "\1"
#define MENU_DIAGNOSIS_CHOICES_MAX 8
#define MENU_DIAGNOSIS_WORDS_MAX   1024 /* of the options of a run, with the NUL */

struct menu_diagnosis {
    char headline[76];             /* its row on the main screen; "": there is none any more */
    char notice[WARNING_TEXT_MAX]; /* on the main screen until a key is pressed, or "" */
    char page[3072];               /* paragraphs; each is a line */
    enum menu_first first;
    unsigned n_choices;
    char choice[MENU_DIAGNOSIS_CHOICES_MAX][64];
    char words[MENU_DIAGNOSIS_WORDS_MAX]; /* options, once a run is to begin; or "" */
};

/*
 * The options that hold without the menu; later texts win. All is the caller's, who may change the
 * report when it is written, and what there is on the guard.
 */
#define MENU_N_TEXTS 3

struct menu_texts {
    const char *text[MENU_N_TEXTS];         /* okram.conf, load options, QEMU's */
    const struct menu_report *report;       /* or NULL */
    const struct menu_guard *guard;         /* or NULL */
    const struct menu_diagnosis *diagnosis; /* or NULL */
    const struct menu_machine *machine;     /* or NULL: no durations are shown */
};

struct menu {
    struct menu_texts texts;
    enum menu_screen screen;
    unsigned row;                                /* of the screen */
    unsigned seconds;                            /* left of the count-down; 0: it is stopped */
    unsigned entry;                              /* chosen to be started or saved */
    char value[MENU_N_SETTINGS][MENU_VALUE_MAX]; /* given here; "": as configured */
    enum menu_setting edited;                    /* on MENU_VALUE */
    char typed[MENU_VALUE_MAX];                  /* so far */
    unsigned guard_choice;                       /* on MENU_GUARD_ASKS */
    enum menu_screen helped;                     /* on MENU_HELP: that it returns to */
    unsigned helped_row;
    unsigned diagnosis_choice;     /* of MENU_DIAGNOSES */
    char notice[WARNING_TEXT_MAX]; /* or "" */
    bool shows_wrong;              /* options of the texts are wrong, and it says so */
};

/* How long the count-down is to be: menu= of these texts. 0: there is to be no menu. */
unsigned menu_seconds(const struct menu_texts *texts);

/* How the picture is turned: rotate= of these texts. */
enum framebuffer_turn menu_turn(const struct menu_texts *texts);

/* The main screen, with that count-down; without it, and with a notice, if an option is wrong. */
void menu_begin(struct menu *ret_menu, const struct menu_texts *texts, unsigned seconds);

enum menu_action menu_key(struct menu *menu, unsigned key);

/* A second has passed. */
enum menu_action menu_second(struct menu *menu);

/* Appends the options that were chosen, separated by blanks: later words win. */
void menu_words(const struct menu *menu, struct fmt_buffer *out);

/* Back to the main screen, with a notice of how saving went. */
void menu_saved(struct menu *menu, const char *notice);

/* Stays with the report, with a notice of how writing went. */
void menu_written(struct menu *menu, const char *notice);

/* To the guard's page, or, where there is a question now, to that. */
void menu_guard_done(struct menu *menu, const char *notice);

/* To the diagnosis' page, or, once there is none, to the main screen; MENU_STARTS: to its run. */
enum menu_action menu_diagnosis_done(struct menu *menu, const char *notice);

/* Whether the first row is the diagnosis'. */
bool menu_has_diagnosis(const struct menu *menu);

/* Whether the test of the first entry has options: its own defaults are a standard test. */
bool menu_has_options(const struct menu *menu);

/* The rows of the screen: none on MENU_VALUE. */
unsigned menu_n_rows(const struct menu *menu);

/* The key that chooses row n of the screen: a digit or a small letter. */
char menu_row_key(const struct menu *menu, unsigned row);

/* Row n of the screen without its key. */
void menu_append_row(const struct menu *menu, unsigned row, struct fmt_buffer *out);

/* "range", and what can be typed for it. */
const char *menu_setting_key(enum menu_setting setting);
const char *menu_setting_hint(enum menu_setting setting);
