// SPDX-License-Identifier: MIT
#include "menu_view.h"

#include "bootcfg/lines.h"
#include "lib/string.h"
#include "options/words.h"

#define TITLE_LINE     1
#define HEADLINE_LINE  2 /* of the last report */
#define FIRST_ROW_LINE 4
#define PAGE_LINE      3  /* the last report, the guard */
#define TEXT_LINE      16 /* the options, or what can be typed */
#define TEXT_LINES     3
#define NOTICE_LINE    19
#define NOTICE_LINES   4 /* a warning of WARNING_TEXT_MAX bytes, but for its last few words */
#define HELP_LINE      23
#define INDENT         2
#define WIDTH          (MENU_VIEW_COLUMNS - 2 * INDENT)

_Static_assert(FIRST_ROW_LINE + LINE_KINDS + 1 <= TEXT_LINE, "the longest list fits");

static void put(struct menu_line *line, size_t column, const char *text, enum menu_look look)
{
    for (; *text && column < MENU_VIEW_COLUMNS; text++)
        line->text[column++] = *text;
    line->look = look;
}

/* How much of text goes on a line: up to a blank, if there is one. */
static size_t piece(const char *text)
{
    size_t n = strlen(text);

    if (n <= WIDTH)
        return n;
    for (n = WIDTH; n && text[n] != ' '; n--) {
    }
    return n ? n : WIDTH;
}

/* Breaks text into n_lines at most; what does not fit ends in "...". Returns how many lines. */
static size_t put_wrapped(struct menu_line *line, size_t n_lines, const char *text,
                          enum menu_look look)
{
    size_t i = 0;

    for (; i < n_lines && *text; i++) {
        char part[WIDTH + 1];
        size_t n = piece(text);

        memcpy(part, text, n);
        part[n] = 0;
        text += n;
        while (*text == ' ')
            text++;
        if (*text && i + 1 == n_lines)
            string_copy(part + (n > WIDTH - 4 ? WIDTH - 4 : n), " ...", 5);
        put(&line[i], INDENT, part, look);
    }
    return i;
}

/* Says at the end of a line, over its last words, that there is more. */
static void put_more(struct menu_line *line)
{
    size_t end = INDENT + WIDTH;

    while (end > INDENT && line->text[end - 1] == ' ')
        end--;
    put(line, end > INDENT + WIDTH - 4 ? INDENT + WIDTH - 4 : end, " ...", line->look);
}

/* Paragraphs, each from a new line on, as far as they fit. */
static void put_paragraphs(struct menu_line *line, size_t n_lines, const char *text)
{
    size_t at = 0;

    while (*text && at < n_lines) {
        const char *end = strchr(text, '\n');
        size_t n = end ? (size_t)(end - text) : strlen(text);
        bool is_strong = *text == MENU_STRONG[0];
        char paragraph[1024];

        string_copy(paragraph, text, n + 1 < sizeof(paragraph) ? n + 1 : sizeof(paragraph));
        at += put_wrapped(line + at, n_lines - at, paragraph + is_strong,
                          is_strong ? MENU_LOOK_TITLE : MENU_LOOK_PLAIN);
        text += n + (end != NULL);
    }
    if (*text && at)
        put_more(&line[at - 1]);
}

static bool has_page(const struct menu *menu)
{
    return menu->screen == MENU_REPORT || menu->screen == MENU_GUARD ||
           menu->screen == MENU_GUARD_ASKS || menu->screen == MENU_DIAGNOSIS;
}

/* Its rows are at the bottom: what is above is as long as it is. */
static size_t first_row_line(const struct menu *menu)
{
    return has_page(menu) ? NOTICE_LINE - menu_n_rows(menu) : FIRST_ROW_LINE;
}

static const char *page(const struct menu *menu)
{
    switch (menu->screen) {
    case MENU_REPORT: return menu->texts.report->page;
    case MENU_GUARD: return menu->texts.guard->page;
    case MENU_GUARD_ASKS: return menu->texts.guard->question;
    default: return menu->texts.diagnosis->page;
    }
}

static void put_page(const struct menu *menu, struct menu_line *line)
{
    put_paragraphs(line + PAGE_LINE, first_row_line(menu) - PAGE_LINE - 1, page(menu));
}

static void put_headline(const struct menu *menu, struct menu_line *line)
{
    char text[MENU_VIEW_COLUMNS + 1];

    fmt_print(text, sizeof(text), "Last report: %s", menu->texts.report->headline);
    put(line, INDENT, text, MENU_LOOK_NOTICE);
}

static void put_rows(const struct menu *menu, struct menu_line *line)
{
    for (unsigned row = 0; row < menu_n_rows(menu); row++) {
        char text[MENU_VIEW_COLUMNS + 1];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
        bool is_chosen = row == menu->row;

        fmt_append(&b, "%c %c  ", is_chosen ? '>' : ' ', row < 10 ? '0' + (row + 1) % 10 : ' ');
        menu_append_row(menu, row, &b);
        put(&line[row], INDENT, text, is_chosen ? MENU_LOOK_CHOSEN : MENU_LOOK_PLAIN);
    }
}

/* Its end, where it is too long. */
static void put_typed(const struct menu *menu, struct menu_line *line)
{
    size_t n = strlen(menu->typed), room = WIDTH - 10;
    char text[WIDTH + 1];

    fmt_print(text, sizeof(text), "%s=%s_", menu_setting_key(menu->edited),
              menu->typed + (n > room ? n - room : 0));
    put(&line[0], INDENT, text, MENU_LOOK_CHOSEN);
    put(&line[2], INDENT, menu_setting_hint(menu->edited), MENU_LOOK_PLAIN);
}

static void append_words(struct fmt_buffer *out, const char *text)
{
    struct word word;

    while (word_next(&text, &word))
        fmt_append(out, " %s", word.text);
}

/* What the test is started with by the first entry. */
static void put_options(const struct menu *menu, struct menu_line *line)
{
    struct menu as_configured = *menu;
    char text[(WIDTH + 1) * TEXT_LINES + 2], words[2048];
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
    put_wrapped(line, TEXT_LINES, text, MENU_LOOK_PLAIN);
}

static const char *title(const struct menu *menu)
{
    switch (menu->screen) {
    case MENU_SETTINGS: return ": range, nodes, passes, lines";
    case MENU_VALUE: return ": a new value";
    case MENU_LINES: return ": lines of the report";
    case MENU_SAVE: return ": save to okram.conf, for the next starts";
    case MENU_REPORT: return ": the last report";
    case MENU_GUARD: return ": the guard";
    case MENU_GUARD_ASKS: return ": the guard, before anything is changed";
    case MENU_DIAGNOSIS: return ": find the bad module";
    default: return "";
    }
}

static const char *help(const struct menu *menu)
{
    switch (menu->screen) {
    case MENU_MAIN: return "Up, Down, Enter or a number: choose";
    case MENU_VALUE: return "Enter: accept   Esc: back without a change   Backspace: delete";
    case MENU_LINES: return "Up, Down, Enter or a number: choose   Esc: back without a change";
    default: return "Up, Down, Enter or a number: choose   Esc: back";
    }
}

static void put_help(const struct menu *menu, struct menu_line *line)
{
    bool opens = menu->row == 0 && menu_has_diagnosis(menu) &&
                 menu->texts.diagnosis->first == MENU_FIRST_OPENS;
    char text[MENU_VIEW_COLUMNS + 1];

    if (menu->seconds) {
        fmt_print(text, sizeof(text),
                  "%s in %u s. Enter: now. Number: choose. Any other key: wait.",
                  opens ? "Goes on" : "Starts", menu->seconds);
        put(line, INDENT, text, MENU_LOOK_NOTICE);
    } else {
        put(line, INDENT, help(menu), MENU_LOOK_PLAIN);
    }
}

void menu_draw(const struct menu *menu, struct menu_line ret_line[MENU_VIEW_LINES])
{
    for (size_t i = 0; i < MENU_VIEW_LINES; i++) {
        ret_line[i].look = MENU_LOOK_PLAIN;
        memset(ret_line[i].text, ' ', MENU_VIEW_COLUMNS);
        ret_line[i].text[MENU_VIEW_COLUMNS] = 0;
    }
    put(&ret_line[TITLE_LINE], INDENT, "okram " OKRAM_VERSION, MENU_LOOK_TITLE);
    put(&ret_line[TITLE_LINE], INDENT + strlen("okram " OKRAM_VERSION), title(menu),
        MENU_LOOK_TITLE);
    if (menu->screen == MENU_MAIN && menu->texts.report)
        put_headline(menu, ret_line + HEADLINE_LINE);
    put_rows(menu, ret_line + first_row_line(menu));
    if (menu->screen == MENU_VALUE)
        put_typed(menu, ret_line + FIRST_ROW_LINE);
    else if (has_page(menu))
        put_page(menu, ret_line);
    else
        put_options(menu, ret_line + TEXT_LINE);
    put_wrapped(ret_line + NOTICE_LINE, NOTICE_LINES, menu->notice, MENU_LOOK_NOTICE);
    put_help(menu, ret_line + HELP_LINE);
}
