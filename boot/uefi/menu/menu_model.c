// SPDX-License-Identifier: MIT
#include "menu_model.h"

#include "lib/string.h"
#include "options/options.h"
#include "options/words.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * The entries of iso/grub.cfg. Each says which tests, how often and with which measurements,
 * whatever okram.conf says, but for the first, which changes nothing.
 */
static const struct {
    const char *label;
    const char *words;
    const char *passes; /* unless it was set here; but "0", which the label is about, stays */
} entries[] = {
    { "Start", "", "" },
    { "Standard test", "tests=standard bandwidth=quick", "1" },
    { "Quick test", "tests=quick bandwidth=quick", "1" },
    { "Thorough test", "tests=thorough bandwidth=quick", "1" },
    { "Thorough, all night (repeats until stopped)", "tests=thorough bandwidth=quick", "0" },
    { "Bandwidth of all NUMA nodes, then a quick test", "tests=quick bandwidth=full", "1" },
    { "Standard test, screen on the serial port (115200 8N1)",
      "tests=standard bandwidth=quick serial=ui", "1" },
};

/* The rows of the main screen. Some are not always there, but each always has the same key. */
enum main_row {
    MAIN_DIAGNOSIS,
    MAIN_ENTRY, /* the first of the entries */
    MAIN_SETTINGS = MAIN_ENTRY + COUNT(entries),
    MAIN_SAVE,
    MAIN_REPORT,
    MAIN_GUARD,
    MAIN_SYSTEM,
    MAIN_RESTART,
    MAIN_OFF,
    MAIN_ROWS
};

static const char main_keys[] = "f123456789lgsxo", row_keys[] = "1234567890abcde";
_Static_assert(sizeof(main_keys) == MAIN_ROWS + 1, "each row has a key");

enum { ROW_NO, ROW_YES, ASK_ROWS };

bool menu_has_diagnosis(const struct menu *menu)
{
    return menu->texts.diagnosis && menu->texts.diagnosis->headline[0];
}

static bool main_has(const struct menu *menu, enum main_row row)
{
    switch (row) {
    case MAIN_DIAGNOSIS: return menu_has_diagnosis(menu);
    case MAIN_REPORT: return menu->texts.report;
    case MAIN_GUARD: return menu->texts.guard;
    default: return row < MAIN_ROWS;
    }
}

/* How many rows there are before it. */
static unsigned main_place(const struct menu *menu, enum main_row row)
{
    unsigned n = 0;

    for (unsigned i = 0; i < row; i++)
        n += main_has(menu, (enum main_row)i);
    return n;
}

static enum main_row main_at(const struct menu *menu, unsigned place)
{
    unsigned row = 0;

    while (row < MAIN_ROWS && (place || !main_has(menu, (enum main_row)row)))
        place -= main_has(menu, (enum main_row)row++);
    return (enum main_row)row;
}

enum { ROW_BACK = MENU_N_SETTINGS, SETTINGS_ROWS };

static const struct {
    const char *key, *initial, *about, *hint;
} settings[MENU_N_SETTINGS] = {
    [MENU_RANGE] = { "range", "all", "which memory",
                     "all, or START-END[,START-END] such as 0-4G,6G-8G" },
    [MENU_NODES] = { "nodes", "all", "of which NUMA nodes", "all, or a list such as 0,2-5" },
    [MENU_PASSES] = { "passes", "1", "how often; 0: until stopped", "a number; 0 for unlimited" },
    [MENU_REPORT_LINES] = { "lines", "grub,memmap", "for which systems the report has lines",
                            "all, or some such as grub,memmap,windows" },
    [MENU_TESTS] = { "tests", "standard", "which tests, for row 1 of the menu",
                     "quick, standard, thorough, hot, stability, or tests such as fade" },
    [MENU_CPUS] = { "cpus", "all", "by which CPUs", "all, or a list such as 0,2-5" },
    [MENU_TIME] = { "time", "0", "when to stop; 0: after the last pass",
                    "stop after a time such as 90s, 15m, 8h or 2d; 0 for no limit" },
    [MENU_BEEP] = { "beep", "off", "a tone at the end, or at the first fault, too",
                    "off; on: at the end; fault: at the first fault, too" },
};

/* Keeps the first warning. */
static void take_warning(void *ctx, const char *text)
{
    char *notice = ctx;

    if (!notice[0])
        string_copy(notice, text, WARNING_TEXT_MAX);
}

/* Parses the texts, then the words; `notice` is the first warning of the words, or "". */
static void parse(const struct menu_texts *texts, const char *words, struct options *ret_options,
                  char notice[WARNING_TEXT_MAX])
{
    const struct warnings warnings = { take_warning, notice };

    options_set_defaults(ret_options);
    for (size_t i = 0; i < MENU_N_TEXTS; i++)
        options_parse(ret_options, texts->text[i], &warnings);
    notice[0] = 0;
    options_parse(ret_options, words, &warnings);
}

static bool is_valid(const char *word, char notice[WARNING_TEXT_MAX])
{
    struct options options;

    parse(&(struct menu_texts){ .text = { "", "", "" } }, word, &options, notice);
    return !notice[0];
}

/* Each warning up to its semicolon: after that comes what would be right. */
static void take_wrong(void *ctx, const char *text)
{
    struct fmt_buffer *wrong = ctx;
    const char *end = strchr(text, ';');
    size_t n = end ? (size_t)(end - text) : strlen(text);

    fmt_append(wrong, "%s%.*s", wrong->length ? ". " : "Wrong options: ", (int)n, text);
}

/*
 * The kernel's warnings about these options; "": none. True: nothing is to start before somebody
 * has seen them, as at the first start of cycles=.
 */
static bool say_wrong(const struct menu_texts *texts, char ret[WARNING_TEXT_MAX])
{
    struct fmt_buffer b = fmt_buffer_make(ret, WARNING_TEXT_MAX);
    const struct warnings warnings = { take_wrong, &b };
    struct options options;
    struct test_list tests;

    options_set_defaults(&options);
    for (size_t i = 0; i < MENU_N_TEXTS; i++)
        options_parse(&options, texts->text[i], &warnings);
    option_tests(&options, &warnings, &tests);
    return ret[0] && !cycles_all(&options.cycles);
}

unsigned menu_seconds(const struct menu_texts *texts)
{
    char notice[WARNING_TEXT_MAX];
    struct options options;

    parse(texts, "", &options, notice);
    return options.menu_s;
}

enum framebuffer_turn menu_turn(const struct menu_texts *texts)
{
    static const enum framebuffer_turn turns[] = {
        [OPTION_ROTATE_0] = FRAMEBUFFER_TURN_0,
        [OPTION_ROTATE_90] = FRAMEBUFFER_TURN_90,
        [OPTION_ROTATE_180] = FRAMEBUFFER_TURN_180,
        [OPTION_ROTATE_270] = FRAMEBUFFER_TURN_270,
    };
    char notice[WARNING_TEXT_MAX];
    struct options options;

    parse(texts, "", &options, notice);
    return turns[options.rotate];
}

/* Of the last well-formed word with the setting's key; else what it is initially. */
static void configured(const struct menu *menu, enum menu_setting setting, char out[MENU_VALUE_MAX])
{
    const char *key = settings[setting].key;
    size_t n = strlen(key);
    char notice[WARNING_TEXT_MAX];
    struct word word;

    string_copy(out, settings[setting].initial, MENU_VALUE_MAX);
    for (size_t i = 0; i < MENU_N_TEXTS; i++) {
        const char *pos = menu->texts.text[i];

        while (word_next(&pos, &word)) {
            if (strncmp(word.text, key, n) == 0 && word.text[n] == '=' &&
                is_valid(word.text, notice))
                string_copy(out, word.text + n + 1, MENU_VALUE_MAX);
        }
    }
}

/* What was set here and is configured alike is not a choice. */
static void drop_if_configured(struct menu *menu, enum menu_setting setting)
{
    char value[MENU_VALUE_MAX];

    configured(menu, setting, value);
    if (strcmp(menu->value[setting], value) == 0)
        menu->value[setting][0] = 0;
}

/* As it holds now. */
static void current(const struct menu *menu, enum menu_setting setting, char out[MENU_VALUE_MAX])
{
    if (menu->value[setting][0])
        string_copy(out, menu->value[setting], MENU_VALUE_MAX);
    else
        configured(menu, setting, out);
}

void menu_begin(struct menu *ret_menu, const struct menu_texts *texts, unsigned seconds)
{
    const char *notice = texts->report ? texts->report->notice : "";
    char wrong[WARNING_TEXT_MAX] = "";

    *ret_menu = (struct menu){ .texts = *texts, .seconds = seconds };
    if (menu_has_diagnosis(ret_menu)) {
        ret_menu->row = texts->diagnosis->first == MENU_FIRST_WAITS;
        notice = texts->diagnosis->notice[0] ? texts->diagnosis->notice : notice;
    }
    string_copy(ret_menu->notice, notice, sizeof(ret_menu->notice));
    if (say_wrong(texts, wrong))
        ret_menu->seconds = 0;
    if (!wrong[0])
        return;
    ret_menu->shows_wrong = true;
    string_copy(ret_menu->notice, wrong, sizeof(ret_menu->notice));
}

static void show(struct menu *menu, enum menu_screen screen, unsigned row)
{
    menu->screen = screen;
    menu->row = row;
}

static enum menu_action start(struct menu *menu, unsigned entry)
{
    menu->entry = entry;
    return MENU_STARTS;
}

static bool has_values(const struct menu *menu)
{
    for (unsigned i = 0; i < MENU_N_SETTINGS; i++) {
        if (menu->value[i][0])
            return true;
    }
    return false;
}

static enum menu_action save(struct menu *menu, unsigned entry)
{
    menu->entry = entry;
    if (entry || has_values(menu))
        return MENU_SAVES;
    menu_saved(menu, "Nothing was saved: all settings are as configured.");
    return MENU_CONTINUES;
}

void menu_saved(struct menu *menu, const char *notice)
{
    string_copy(menu->notice, notice, sizeof(menu->notice));
    for (unsigned i = 0; i < MENU_N_SETTINGS; i++)
        drop_if_configured(menu, (enum menu_setting)i);
    show(menu, MENU_MAIN, main_place(menu, MAIN_ENTRY));
}

void menu_written(struct menu *menu, const char *notice)
{
    string_copy(menu->notice, notice, sizeof(menu->notice));
    show(menu, MENU_REPORT, 0);
}

void menu_guard_done(struct menu *menu, const char *notice)
{
    string_copy(menu->notice, notice, sizeof(menu->notice));
    show(menu, menu->texts.guard->question[0] ? MENU_GUARD_ASKS : MENU_GUARD, 0);
}

enum menu_action menu_diagnosis_done(struct menu *menu, const char *notice)
{
    string_copy(menu->notice, notice, sizeof(menu->notice));
    show(menu, menu_has_diagnosis(menu) ? MENU_DIAGNOSIS : MENU_MAIN, 0);
    return menu->texts.diagnosis->words[0] ? MENU_STARTS : MENU_CONTINUES;
}

static void edit(struct menu *menu, enum menu_setting setting)
{
    current(menu, setting, menu->typed);
    menu->edited = setting;
    show(menu, MENU_VALUE, 0);
}

/* What was typed becomes the value, if it can be one. */
static void take_typed(struct menu *menu)
{
    char word[MENU_VALUE_MAX + 8];

    fmt_print(word, sizeof(word), "%s=%s", settings[menu->edited].key, menu->typed);
    if (!is_valid(word, menu->notice))
        return;
    string_copy(menu->value[menu->edited], menu->typed, MENU_VALUE_MAX);
    drop_if_configured(menu, menu->edited);
    show(menu, MENU_SETTINGS, menu->edited);
}

static enum menu_action choose_diagnosis(struct menu *menu, bool counts_down)
{
    menu->diagnosis_choice = 0;
    return counts_down && menu->texts.diagnosis->first == MENU_FIRST_STARTS ? MENU_DIAGNOSES
                                                                            : MENU_OPENS_DIAGNOSIS;
}

static enum menu_action choose_main(struct menu *menu, unsigned place, bool counts_down)
{
    const enum main_row row = main_at(menu, place);

    switch (row) {
    case MAIN_DIAGNOSIS: return choose_diagnosis(menu, counts_down);
    case MAIN_SETTINGS: show(menu, MENU_SETTINGS, 0); break;
    case MAIN_SAVE: show(menu, MENU_SAVE, 0); break;
    case MAIN_REPORT: show(menu, MENU_REPORT, 0); break;
    case MAIN_GUARD: return MENU_OPENS_GUARD;
    case MAIN_SYSTEM: return MENU_LEAVES;
    case MAIN_RESTART: return MENU_RESTARTS;
    case MAIN_OFF: return MENU_POWERS_OFF;
    default: return start(menu, row - MAIN_ENTRY);
    }
    return MENU_CONTINUES;
}

/* What was typed is dropped. */
static void back(struct menu *menu)
{
    switch (menu->screen) {
    case MENU_MAIN: break;
    case MENU_DIAGNOSIS: show(menu, MENU_MAIN, 0); break;
    case MENU_SETTINGS: show(menu, MENU_MAIN, main_place(menu, MAIN_SETTINGS)); break;
    case MENU_VALUE: show(menu, MENU_SETTINGS, menu->edited); break;
    case MENU_SAVE: show(menu, MENU_MAIN, main_place(menu, MAIN_SAVE)); break;
    case MENU_REPORT: show(menu, MENU_MAIN, main_place(menu, MAIN_REPORT)); break;
    case MENU_GUARD: show(menu, MENU_MAIN, main_place(menu, MAIN_GUARD)); break;
    case MENU_GUARD_ASKS: show(menu, MENU_GUARD, menu->guard_choice); break;
    case MENU_HELP: show(menu, menu->helped, menu->helped_row); break;
    }
}

/* Enter on the row, or its key; counts_down: as the first key. */
static enum menu_action choose(struct menu *menu, bool counts_down)
{
    unsigned row = menu->row;

    switch (menu->screen) {
    case MENU_MAIN: return choose_main(menu, row, counts_down);
    case MENU_SETTINGS:
        if (row == ROW_BACK)
            show(menu, MENU_MAIN, main_place(menu, MAIN_SETTINGS));
        else
            edit(menu, (enum menu_setting)row);
        break;
    case MENU_SAVE: return save(menu, row);
    case MENU_REPORT:
        if (row < menu->texts.report->n_volumes)
            return MENU_WRITES;
        show(menu, MENU_MAIN, main_place(menu, MAIN_REPORT));
        break;
    case MENU_GUARD:
        menu->guard_choice = row;
        if (row < menu->texts.guard->n_choices)
            return MENU_ASKS_GUARD;
        show(menu, MENU_MAIN, main_place(menu, MAIN_GUARD));
        break;
    case MENU_GUARD_ASKS:
        if (row == ROW_YES)
            return MENU_CHANGES_GUARD;
        show(menu, MENU_GUARD, menu->guard_choice);
        break;
    case MENU_DIAGNOSIS:
        menu->diagnosis_choice = row;
        if (row < menu->texts.diagnosis->n_choices)
            return MENU_DIAGNOSES;
        show(menu, MENU_MAIN, 0);
        break;
    case MENU_VALUE: take_typed(menu); break;
    case MENU_HELP: back(menu); break;
    }
    return MENU_CONTINUES;
}

static void help(struct menu *menu)
{
    menu->helped = menu->screen;
    menu->helped_row = menu->row;
    show(menu, MENU_HELP, 0);
}

static void type(struct menu *menu, unsigned key)
{
    size_t n = strlen(menu->typed);

    if (key == MENU_KEY_BACKSPACE && n)
        menu->typed[n - 1] = 0;
    else if (key > ' ' && key <= '~' && n + 1 < sizeof(menu->typed)) {
        menu->typed[n] = (char)key;
        menu->typed[n + 1] = 0;
    }
}

char menu_row_key(const struct menu *menu, unsigned row)
{
    return menu->screen == MENU_MAIN ? main_keys[main_at(menu, row)] : row_keys[row];
}

static unsigned lower(unsigned key)
{
    return key >= 'A' && key <= 'Z' ? key - 'A' + 'a' : key;
}

/* While the count-down runs, digits alone choose: somebody may press any letter to stop it. */
static bool row_of_key(const struct menu *menu, unsigned key, bool counts_down, unsigned *ret_row)
{
    if (counts_down && (key < '0' || key > '9'))
        return false;
    for (unsigned row = 0; row < menu_n_rows(menu); row++) {
        if ((unsigned char)menu_row_key(menu, row) == lower(key)) {
            *ret_row = row;
            return true;
        }
    }
    return false;
}

enum menu_action menu_key(struct menu *menu, unsigned key)
{
    unsigned n = menu_n_rows(menu);
    bool counts_down = menu->seconds;

    if (!counts_down)
        menu->notice[0] = 0;
    menu->seconds = 0;
    if (key == MENU_KEY_HELP || (lower(key) == 'h' && menu->screen != MENU_VALUE)) {
        if (menu->screen != MENU_HELP)
            help(menu);
    } else if (key == MENU_KEY_ESC)
        back(menu);
    else if (key == MENU_KEY_ENTER)
        return choose(menu, counts_down);
    else if (menu->screen == MENU_VALUE)
        type(menu, key);
    else if (key == MENU_KEY_UP)
        menu->row = (menu->row + n - 1) % n;
    else if (key == MENU_KEY_DOWN)
        menu->row = (menu->row + 1) % n;
    else if (row_of_key(menu, key, counts_down, &menu->row))
        return choose(menu, counts_down);
    return MENU_CONTINUES;
}

enum menu_action menu_second(struct menu *menu)
{
    if (!menu->seconds || --menu->seconds)
        return MENU_CONTINUES;
    return choose_main(menu, menu->row, true);
}

static const char *value_of(const struct menu *menu, enum menu_setting setting)
{
    const char *value = menu->value[setting], *passes = entries[menu->entry].passes;

    if (setting == MENU_TESTS && entries[menu->entry].words[0])
        return ""; /* the entry says which */
    if (setting == MENU_PASSES && (!value[0] || strcmp(passes, "0") == 0))
        return passes;
    return value;
}

static void append_words(struct fmt_buffer *out, const char *words)
{
    fmt_append(out, "%s%s", out->length ? " " : "", words);
}

void menu_words(const struct menu *menu, struct fmt_buffer *out)
{
    if (menu_has_diagnosis(menu) && menu->texts.diagnosis->words[0]) {
        append_words(out, menu->texts.diagnosis->words);
        return;
    }
    if (entries[menu->entry].words[0])
        append_words(out, entries[menu->entry].words);
    for (unsigned i = 0; i < MENU_N_SETTINGS; i++) {
        const char *value = value_of(menu, (enum menu_setting)i);
        char word[MENU_VALUE_MAX + 8];

        if (value[0]) {
            fmt_print(word, sizeof(word), "%s=%s", settings[i].key, value);
            append_words(out, word);
        }
    }
}

unsigned menu_n_rows(const struct menu *menu)
{
    static const unsigned n[] = {
        [MENU_SETTINGS] = SETTINGS_ROWS,
        [MENU_SAVE] = COUNT(entries),
        [MENU_VALUE] = 0,
        [MENU_GUARD_ASKS] = ASK_ROWS,
        [MENU_HELP] = 1,
    };
    const struct menu_texts *texts = &menu->texts;

    if (menu->screen == MENU_MAIN)
        return main_place(menu, MAIN_ROWS);
    if (menu->screen == MENU_REPORT)
        return 1 + texts->report->n_volumes;
    if (menu->screen == MENU_GUARD)
        return 1 + texts->guard->n_choices;
    if (menu->screen == MENU_DIAGNOSIS)
        return 1 + texts->diagnosis->n_choices;
    return n[menu->screen];
}

static void append_setting(const struct menu *menu, enum menu_setting setting,
                           struct fmt_buffer *out)
{
    char value[MENU_VALUE_MAX];

    current(menu, setting, value);
    fmt_append(out, "%-6s = %-16s  %s", settings[setting].key, value, settings[setting].about);
}

bool menu_has_options(const struct menu *menu)
{
    struct word word;

    for (size_t i = 0; i < MENU_N_TEXTS; i++) {
        const char *pos = menu->texts.text[i];

        if (word_next(&pos, &word))
            return true;
    }
    return has_values(menu);
}

/* What the entry would run, with the settings made here. */
static void options_of(const struct menu *menu, unsigned entry, struct options *ret_options)
{
    struct menu chosen = *menu;
    char words[2048], notice[WARNING_TEXT_MAX];
    struct fmt_buffer w = fmt_buffer_make(words, sizeof(words));

    chosen.entry = entry;
    chosen.texts.diagnosis = NULL;
    menu_words(&chosen, &w);
    parse(&menu->texts, words, ret_options, notice);
}

static void append_entry(const struct menu *menu, unsigned entry, struct fmt_buffer *out)
{
    struct options options;

    fmt_append(out, "%s", entries[entry].label);
    if (!entry)
        fmt_append(out, menu_has_options(menu) ? " (with the options below)" : " (standard test)");
    if (!menu->texts.machine)
        return;
    options_of(menu, entry, &options);
    menu_time_append(menu->texts.machine, &options, out);
}

static void append_main_row(const struct menu *menu, unsigned place, struct fmt_buffer *out)
{
    const enum main_row row = main_at(menu, place);

    switch (row) {
    case MAIN_DIAGNOSIS: fmt_append(out, "%s", menu->texts.diagnosis->headline); break;
    case MAIN_SETTINGS: fmt_append(out, "Tests, CPUs, time, beep, range, passes, lines ..."); break;
    case MAIN_SAVE: fmt_append(out, "Save these choices to okram.conf ..."); break;
    case MAIN_REPORT: fmt_append(out, "The last report: %s", menu->texts.report->headline); break;
    case MAIN_GUARD: fmt_append(out, "The guard: %s", menu->texts.guard->headline); break;
    case MAIN_SYSTEM: fmt_append(out, "Start my system"); break;
    case MAIN_RESTART: fmt_append(out, "Restart"); break;
    case MAIN_OFF: fmt_append(out, "Switch off"); break;
    default: append_entry(menu, row - MAIN_ENTRY, out);
    }
}

void menu_append_row(const struct menu *menu, unsigned row, struct fmt_buffer *out)
{
    switch (menu->screen) {
    case MENU_MAIN: append_main_row(menu, row, out); break;
    case MENU_SETTINGS:
        if (row == ROW_BACK)
            fmt_append(out, "Back");
        else
            append_setting(menu, (enum menu_setting)row, out);
        break;
    case MENU_SAVE:
        fmt_append(out, "%s", row ? entries[row].label : "Only the settings that were changed");
        break;
    case MENU_REPORT:
        if (row < menu->texts.report->n_volumes)
            fmt_append(out, "Write it to %s", menu->texts.report->volume[row]);
        else
            fmt_append(out, "Back");
        break;
    case MENU_GUARD:
        fmt_append(out, "%s",
                   row < menu->texts.guard->n_choices ? menu->texts.guard->choice[row] : "Back");
        break;
    case MENU_GUARD_ASKS:
        fmt_append(out, "%s", row == ROW_YES ? "Yes, do it" : "No, change nothing");
        break;
    case MENU_DIAGNOSIS:
        fmt_append(out, "%s",
                   row < menu->texts.diagnosis->n_choices ? menu->texts.diagnosis->choice[row]
                                                          : "Back");
        break;
    case MENU_HELP: fmt_append(out, "Back"); break;
    case MENU_VALUE: break;
    }
}

const char *menu_setting_key(enum menu_setting setting)
{
    return settings[setting].key;
}

const char *menu_setting_hint(enum menu_setting setting)
{
    return settings[setting].hint;
}
