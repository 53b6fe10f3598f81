// SPDX-License-Identifier: MIT
#include "menu_view.h"

#include "lib/string.h"
#include "options/words.h"

#define TITLE_LINE     0
#define HEADLINE_LINE  1 /* of the last report */
#define PAGE_LINE      2 /* the last report, the guard, help */
#define FIRST_ROW_LINE 3
#define NOTICE_LINES   4 /* a warning of WARNING_TEXT_MAX bytes, but for its last few words */
#define INDENT         2
#define TEXT_SIZE      (MENU_COLUMNS_MAX + 1)

static unsigned width_of(const struct menu_view *v)
{
    return v->columns - 2 * INDENT;
}

static unsigned help_line(const struct menu_view *v)
{
    return v->rows - 1;
}

/* The notice, and the options. */
static unsigned notice_line(const struct menu_view *v)
{
    return help_line(v) - NOTICE_LINES;
}

static void put(struct menu_view *v, unsigned row, size_t column, const char *text,
                enum menu_look look)
{
    for (; *text && column < v->columns; text++)
        v->line[row].text[column++] = *text;
    v->line[row].look = look;
}

/* How much of text goes on a line: up to a blank, if there is one. */
static size_t piece(const char *text, size_t width)
{
    size_t n = strlen(text);

    if (n <= width)
        return n;
    for (n = width; n && text[n] != ' '; n--) {
    }
    return n ? n : width;
}

/* Breaks text into n_lines at most; what does not fit ends in "...". Returns how many lines. */
static unsigned put_wrapped(struct menu_view *v, unsigned row, unsigned n_lines, const char *text,
                            enum menu_look look)
{
    size_t width = width_of(v);
    unsigned i = 0;

    for (; i < n_lines && *text; i++) {
        char part[TEXT_SIZE];
        size_t n = piece(text, width);

        memcpy(part, text, n);
        part[n] = 0;
        text += n;
        while (*text == ' ')
            text++;
        if (*text && i + 1 == n_lines)
            string_copy(part + (n > width - 4 ? width - 4 : n), " ...", 5);
        put(v, row + i, INDENT, part, look);
    }
    return i;
}

/* Says at the end of a line, over its last words, that there is more. */
static void put_more(struct menu_view *v, unsigned row)
{
    const struct menu_line *line = &v->line[row];
    size_t most = INDENT + width_of(v), end = most;

    while (end > INDENT && line->text[end - 1] == ' ')
        end--;
    put(v, row, end > most - 4 ? most - 4 : end, " ...", line->look);
}

/* Paragraphs, each from a new line on, as far as they fit. */
static void put_paragraphs(struct menu_view *v, unsigned row, unsigned n_lines, const char *text)
{
    unsigned at = 0;

    while (*text && at < n_lines) {
        const char *end = strchr(text, '\n');
        size_t n = end ? (size_t)(end - text) : strlen(text);
        bool is_strong = *text == MENU_STRONG[0];
        char paragraph[1024];

        string_copy(paragraph, text, n + 1 < sizeof(paragraph) ? n + 1 : sizeof(paragraph));
        at += put_wrapped(v, row + at, n_lines - at, paragraph + is_strong,
                          is_strong ? MENU_LOOK_TITLE : MENU_LOOK_PLAIN);
        text += n + (end != NULL);
    }
    if (*text && at)
        put_more(v, row + at - 1);
}

/* Of it and of the run. */
static const char help_page[] = MENU_STRONG
    "Which test?\n"
    "Standard is the right one for most computers. Quick is a first look. Thorough finds rare "
    "faults, too; all night repeats it until you stop it. A test changes nothing on your disks.\n" MENU_STRONG
    "After faults\n"
    "\"Find the bad module\" says step by step what to take out. \"The guard\" keeps Windows and "
    "Linux away from the bad memory. Both are rows of this menu (64-bit UEFI) when there is "
    "something for them to do.\n" MENU_STRONG "Keys during a test\n"
    "q  stop, show the result (twice)    n  skip to the next test (twice)\n"
    "s  details      c  QR code      b  bandwidth      l  lines for other systems\n"
    "space  next page    r  report so far    h  help\n"
    "x  at the end: restart (twice)    Twice: press the key again, it asks.\n";

/* NULL: the screen has none. */
static const char *page(const struct menu *menu)
{
    switch (menu->screen) {
    case MENU_REPORT: return menu->texts.report->page;
    case MENU_GUARD: return menu->texts.guard->page;
    case MENU_GUARD_ASKS: return menu->texts.guard->question;
    case MENU_DIAGNOSIS: return menu->texts.diagnosis->page;
    case MENU_HELP: return help_page;
    default: return NULL;
    }
}

/* Below a page its rows are at the bottom: what is above is as long as it is. */
static unsigned first_row_line(const struct menu *menu, const struct menu_view *v)
{
    return page(menu) ? notice_line(v) - menu_n_rows(menu) : FIRST_ROW_LINE;
}

static void put_headline(const struct menu *menu, struct menu_view *v)
{
    char text[TEXT_SIZE];

    fmt_print(text, sizeof(text), "Last report: %s", menu->texts.report->headline);
    put(v, HEADLINE_LINE, INDENT, text, MENU_LOOK_NOTICE);
}

static void put_rows(const struct menu *menu, struct menu_view *v)
{
    for (unsigned row = 0; row < menu_n_rows(menu); row++) {
        char text[TEXT_SIZE];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
        bool is_chosen = row == menu->row;

        fmt_append(&b, "%c %c  ", is_chosen ? '>' : ' ', menu_row_key(menu, row));
        menu_append_row(menu, row, &b);
        put(v, first_row_line(menu, v) + row, INDENT, text,
            is_chosen ? MENU_LOOK_CHOSEN : MENU_LOOK_PLAIN);
    }
}

/* Its end, where it is too long. */
static void put_typed(const struct menu *menu, struct menu_view *v)
{
    size_t n = strlen(menu->typed), room = width_of(v) - 10;
    char text[TEXT_SIZE];

    fmt_print(text, sizeof(text), "%s=%s_", menu_setting_key(menu->edited),
              menu->typed + (n > room ? n - room : 0));
    put(v, FIRST_ROW_LINE, INDENT, text, MENU_LOOK_CHOSEN);
    put(v, FIRST_ROW_LINE + 2, INDENT, menu_setting_hint(menu->edited), MENU_LOOK_PLAIN);
}

static void append_words(struct fmt_buffer *out, const char *text)
{
    struct word word;

    while (word_next(&text, &word))
        fmt_append(out, " %s", word.text);
}

/* What the test is started with by the first entry. */
static void put_options(const struct menu *menu, struct menu_view *v, unsigned row,
                        unsigned n_lines)
{
    struct menu as_configured = *menu;
    char text[TEXT_SIZE * NOTICE_LINES + 2], words[2048];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    struct fmt_buffer w = fmt_buffer_make(words, sizeof(words));

    as_configured.entry = 0;
    menu_words(&as_configured, &w);
    fmt_append(&b, "Options:");
    append_words(&b, menu->texts.text[0]);
    append_words(&b, menu->texts.text[1]);
    append_words(&b, words);
    append_words(&b, menu->texts.text[2]);
    if (!menu_has_options(menu))
        fmt_append(&b, " none");
    put_wrapped(v, row, n_lines, text, MENU_LOOK_PLAIN);
}

/* The notice; then, if there is room and no page, the options. */
static void put_notice(const struct menu *menu, struct menu_view *v)
{
    unsigned n = put_wrapped(v, notice_line(v), NOTICE_LINES, menu->notice, MENU_LOOK_NOTICE);

    if (!page(menu) && menu->screen != MENU_VALUE)
        put_options(menu, v, notice_line(v) + n, NOTICE_LINES - n);
}

static const char *title(const struct menu *menu)
{
    switch (menu->screen) {
    case MENU_SETTINGS: return ": tests, CPUs, time, beep, range, passes, lines";
    case MENU_VALUE: return ": a new value";
    case MENU_SAVE: return ": save to okram.conf, for the next starts";
    case MENU_REPORT: return ": the last report";
    case MENU_GUARD: return ": the guard";
    case MENU_GUARD_ASKS: return ": the guard, before anything is changed";
    case MENU_DIAGNOSIS: return ": find the bad module";
    case MENU_HELP: return ": help";
    default: return ": memory test";
    }
}

static const char *help(const struct menu *menu)
{
    switch (menu->screen) {
    case MENU_MAIN: return "Up, Down, Enter, or the key before a row: choose   h: help";
    case MENU_VALUE: return "Enter: accept   Esc: back without a change   Backspace: delete";
    case MENU_HELP: return "Enter or Esc: back";
    default: return "Up, Down, Enter, or the key before a row: choose   Esc: back   h: help";
    }
}

static void put_help(const struct menu *menu, struct menu_view *v)
{
    const struct menu_diagnosis *diagnosis = menu->texts.diagnosis;
    bool opens = menu->row == 0 && diagnosis && menu_has_diagnosis(menu) &&
                 diagnosis->first == MENU_FIRST_OPENS;
    char text[TEXT_SIZE];

    if (menu->seconds) {
        fmt_print(text, sizeof(text),
                  "%s in %u s. Enter: now. Number: choose. h: help. Any other key: wait.",
                  opens ? "Goes on" : "Starts", menu->seconds);
        put(v, help_line(v), INDENT, text, MENU_LOOK_NOTICE);
    } else {
        put(v, help_line(v), INDENT, help(menu), MENU_LOOK_PLAIN);
    }
}

void menu_draw(const struct menu *menu, struct menu_view *view)
{
    unsigned first = first_row_line(menu, view);

    for (size_t i = 0; i < view->rows; i++) {
        view->line[i].look = MENU_LOOK_PLAIN;
        memset(view->line[i].text, ' ', view->columns);
        view->line[i].text[view->columns] = 0;
    }
    put(view, TITLE_LINE, INDENT, "okram " OKRAM_VERSION, MENU_LOOK_TITLE);
    put(view, TITLE_LINE, INDENT + strlen("okram " OKRAM_VERSION), title(menu), MENU_LOOK_TITLE);
    if (menu->screen == MENU_MAIN && menu->texts.report)
        put_headline(menu, view);
    put_rows(menu, view);
    if (menu->screen == MENU_VALUE)
        put_typed(menu, view);
    if (page(menu))
        put_paragraphs(view, PAGE_LINE, first - PAGE_LINE - 1, page(menu));
    put_notice(menu, view);
    put_help(menu, view);
}
