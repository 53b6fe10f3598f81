// SPDX-License-Identifier: MIT
#include "screen/screen_section.h"

#include "lib/string.h"

void screen_paint_title(const struct screen_state *s, struct grid *g, const char *title,
                        const char *right)
{
    grid_fill(g, AREA(0, ROW_TITLE, g->columns, 1), CELL(' ', TITLE));
    grid_print(g, AT(MARGIN, ROW_TITLE), TITLE, "okram %s   %s", s->version, title);
    grid_print_right(g, AT(g->columns - MARGIN, ROW_TITLE), TITLE, "%s", right);
}

void screen_paint_heading_in(struct grid *g, struct area area, const char *title, const char *note)
{
    grid_fill(g, AREA(area.column, area.row, area.columns, 1), CELL(GLYPH_RULE, DIM));
    grid_print(g, AT(area.column + 2, area.row), HEADING, " %s ", title);
    if (*note)
        grid_print_right(g, AT(area.column + area.columns - 2, area.row), PLAIN, " %s ", note);
}

void screen_paint_heading(struct grid *g, unsigned row, const char *title, const char *note)
{
    screen_paint_heading_in(g, AREA(MARGIN, row, WIDTH, 1), title, note);
}

/* The last space before n, or the last after one of these characters; 0: none. */
static size_t last_space(const char *text, size_t n, const char *after)
{
    while (n && !(text[n] == ' ' && (!after || strchr(after, text[n - 1]))))
        n--;
    return n;
}

/* The first n characters, and that there are more. */
static void shorten(const char *text, size_t n, char ret_text[SCREEN_FITTED_SIZE])
{
    string_copy(ret_text, text, SCREEN_FITTED_SIZE);
    if (n + sizeof(SCREEN_MORE) <= SCREEN_FITTED_SIZE)
        string_copy(ret_text + n, &SCREEN_MORE[!n], SCREEN_FITTED_SIZE - n);
}

static void fit(const char *text, unsigned width, unsigned rows, char ret_text[SCREEN_FITTED_SIZE])
{
    size_t n = strlen(text), part;

    string_copy(ret_text, text, SCREEN_FITTED_SIZE);
    if (grid_wrapped_rows(text, width) <= rows)
        return;
    do {
        n = last_space(text, n - (n > 0), NULL);
        shorten(text, n, ret_text);
    } while (n && grid_wrapped_rows(ret_text, width) > rows);
    part = last_space(text, n, ",;:.");
    if (part > n / 2)
        shorten(text, part, ret_text);
}

unsigned screen_paint_wrapped(struct grid *g, struct area area, uint8_t colour, const char *text)
{
    const unsigned end = area.row + area.rows;
    static char fitted[SCREEN_FITTED_SIZE];

    fit(text, area.columns, area.rows, fitted);
    text = fitted;
    for (; *text && area.row < end; area.row++) {
        size_t n = grid_wrap(text, area.columns);

        grid_put(g, AT(area.column, area.row), colour, text, n);
        text += n;
    }
    return area.row;
}

void screen_paint_figure(struct grid *g, struct at end, uint8_t colour, int decimals, double x)
{
    if (x > 0)
        grid_print_right(g, end, colour, "%.*f", decimals, x);
    else
        grid_print_right(g, end, DIM, "-");
}

void section_put_text(struct section_text *t, uint8_t colour, const char *text)
{
    if (!*text)
        return;
    for (size_t n; *text; text += n + (text[n] == '\n'), t->row++) {
        size_t line = 0;

        while (text[line] && text[line] != '\n')
            line++;
        n = line <= WIDTH ? line : grid_wrap(text, WIDTH);
        if (t->g && t->row >= t->first && t->row < t->first + page_rows(t->g->rows))
            grid_put(t->g, AT(MARGIN, PAGE_TOP + (unsigned)(t->row - t->first)), colour, text, n);
    }
    t->row++;
}
