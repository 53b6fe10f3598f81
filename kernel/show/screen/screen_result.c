// SPDX-License-Identifier: MIT
#include "screen/screen_result.h"

#include "lib/minmax.h"
#include "lib/string.h"
#include "screen/screen_big_letters.h"
#include "screen/screen_codes.h"
#include "screen/screen_layout.h"
#include "screen/screen_side_panels.h"
#include "screen/screen_verdict.h"

#define ROW_VERDICT (ROW_MEMORY + 1)

/* Where the code is: next to the page, or below the large letters on the right. */
#define BELOW_ROWS_MIN 30
#define BELOW_ROWS     15
#define BELOW_COLUMNS  29

#define WORD_ROWS_MIN 5
#define LINE_ROWS_MIN 2 /* of the badram line, with a heading */

/* At most; on a small grid, where all else needs the rows, one each. */
#define UNTESTED_ROWS 2
#define KIND_ROWS     3
#define REST_ROWS_MIN 3 /* of what comes after the text */

struct result_layout {
    struct word_size word; /* in large letters */
    bool has_code;
    struct screen_area code;
    unsigned facts, width; /* rows of text, and how wide they are */
    unsigned kind_rows, untested_rows;
    const char *advice, *options; /* as much of these as there is room for */
    unsigned advice_rows;
    struct screen_layout rest;
};

/* The facts and a heading; the advice comes after it. */
static unsigned text_rows(const struct screen_verdict *v, const struct result_layout *l)
{
    unsigned width = l->width;
    size_t rows = grid_wrapped_rows(v->what, width) +
                  min_u64(grid_wrapped_rows(v->kind, width), l->kind_rows) +
                  grid_wrapped_rows(v->tested, width) +
                  min_u64(grid_wrapped_rows(v->untested, width), l->untested_rows) +
                  grid_wrapped_rows(v->excluded, width) + 1 + grid_wrapped_rows(v->kept, width);

    return (unsigned)rows;
}

static void place_code(struct screen_state *s, unsigned columns, unsigned rows,
                       struct result_layout *l)
{
    l->width = WIDTH;
    l->has_code = false;
    if (columns >= SCREEN_WIDE_COLUMNS)
        l->code =
            (struct screen_area){ GRID_COLUMNS_MIN + 1, ROW_VERDICT + 1,
                                  columns - GRID_COLUMNS_MIN - 1 - MARGIN, rows - 2 - ROW_VERDICT };
    else if (rows >= BELOW_ROWS_MIN)
        l->code = (struct screen_area){ END - BELOW_COLUMNS, l->facts, BELOW_COLUMNS, BELOW_ROWS };
    else
        return;
    l->has_code = screen_codes_prepare_result(s) && screen_codes_fit(&s->codes, l->code);
    if (l->has_code && columns < SCREEN_WIDE_COLUMNS)
        l->width = WIDTH - BELOW_COLUMNS - 1;
}

/* The line comes first, then a warning, then faults. */
static void share_rows(const struct screen_state *s, struct screen_layout *l, unsigned row,
                       unsigned end)
{
    unsigned left = end - row;
    size_t warnings = screen_warning_rows(s);

    l->line_rows = screen_line_rows(s->lines);
    if (l->line_rows && left >= 2) {
        l->badram = row;
        l->n_warnings = (unsigned)min_u64(warnings, left / 4);
        l->n_line = (unsigned)min_u64(l->line_rows, left - 1 - l->n_warnings);
        row += 1 + l->n_line;
    } else {
        l->n_warnings = (unsigned)min_u64(warnings, left);
    }
    l->warnings = end - l->n_warnings;
    left = l->warnings - row;
    if (left >= 3 && (s->n_faults || s->bad_pages)) { /* heading, counts, and a fault */
        l->errors = row;
        l->n_faults = left - 2;
    }
}

static unsigned rows_of(const char *text, const struct result_layout *l)
{
    return (unsigned)grid_wrapped_rows(text, l->width);
}

/*
 * What to do. If that is too long, its first rows; key s shows all of it. Options that are cut
 * cannot be typed: then key s shows them.
 */
static unsigned choose_advice(const struct screen_verdict *v, unsigned room,
                              struct result_layout *l)
{
    unsigned whole = rows_of(v->advice, l), options = rows_of(v->options, l), rows;

    l->advice = whole + options > room && v->advice_short[0] ? v->advice_short : v->advice;
    l->advice_rows = (unsigned)min_u64(rows_of(l->advice, l), room + REST_ROWS_MIN - LINE_ROWS_MIN);
    rows = l->advice_rows;
    l->options = v->options;
    if (rows + options > room)
        l->options = rows < room ? "Key s shows the options for that start." : "";
    return rows + rows_of(l->options, l);
}

static struct result_layout lay_out(struct screen_state *s, const struct screen_verdict *v,
                                    unsigned columns, unsigned rows)
{
    struct result_layout l = { 0 };
    unsigned text_end;

    l.word = screen_word_size(
        v->big, WIDTH, (unsigned)max_u64(rows / (strchr(v->big, ' ') ? 3 : 4), WORD_ROWS_MIN));
    l.facts = ROW_VERDICT + l.word.rows + 2;
    place_code(s, columns, rows, &l);
    l.kind_rows = KIND_ROWS;
    l.untested_rows = UNTESTED_ROWS;
    if (l.facts + text_rows(v, &l) + rows_of(v->advice, &l) + rows_of(v->options, &l) +
            REST_ROWS_MIN >=
        rows - 1)
        l.kind_rows = l.untested_rows = 1;
    text_end = l.facts + text_rows(v, &l);
    text_end +=
        choose_advice(v, rows - 1 - (unsigned)min_u64(text_end + REST_ROWS_MIN, rows - 1), &l);
    if (l.has_code && columns < SCREEN_WIDE_COLUMNS)
        text_end = (unsigned)max_u64(text_end, l.code.row + l.code.rows);
    share_rows(s, &l.rest, text_end, rows - 1);
    return l;
}

/* On at most max_rows rows; the last shows that there is more. */
static unsigned paint_wrapped(struct grid *g, unsigned row, unsigned max_rows, unsigned width,
                              uint8_t colour, const char *text)
{
    for (unsigned end = row + max_rows; *text && row < end; row++) {
        size_t n = grid_wrap(text, width);

        if (row + 1 == end)
            n = grid_text(g, MARGIN, row, width, colour, text);
        else
            grid_put(g, MARGIN, row, colour, text, n);
        text += n;
    }
    return row;
}

static void paint_text(struct grid *g, const struct result_layout *l,
                       const struct screen_verdict *v)
{
    unsigned row = paint_wrapped(g, l->facts, g->rows, l->width, STRONG, v->what);

    row = paint_wrapped(g, row, l->kind_rows, l->width, PLAIN, v->kind);
    row = paint_wrapped(g, row, g->rows, l->width, PLAIN, v->tested);
    row = paint_wrapped(g, row, l->untested_rows, l->width, PLAIN, v->untested);
    row = paint_wrapped(g, row, g->rows, l->width, PLAIN, v->excluded);
    grid_fill(g, MARGIN, row, l->width, 1, GLYPH_RULE, DIM);
    grid_print(g, MARGIN + 2, row++, HEADING, " What to do ");
    row = paint_wrapped(g, row, l->advice_rows, l->width, STRONG, l->advice);
    row = paint_wrapped(g, row, g->rows, l->width, PLAIN, l->options);
    paint_wrapped(g, row, g->rows, l->width, PLAIN, v->kept);
}

static void paint_word(struct grid *g, const struct result_layout *l,
                       const struct screen_verdict *v)
{
    unsigned columns = g->columns >= SCREEN_WIDE_COLUMNS ? GRID_COLUMNS_MIN : g->columns;

    grid_fill(g, 0, ROW_VERDICT, columns, l->facts - ROW_VERDICT, ' ', v->colour);
    screen_paint_word(g, MARGIN, ROW_VERDICT + 1, v->big, l->word, v->colour);
}

void screen_result_paint(struct screen_state *s, struct grid *g)
{
    struct screen_verdict v;
    struct result_layout l;

    screen_verdict_make(s, &v);
    l = lay_out(s, &v, g->columns, g->rows);
    grid_clear(g, PLAIN);
    screen_paint_machine(s, g);
    paint_word(g, &l, &v);
    paint_text(g, &l, &v);
    if (l.has_code)
        screen_codes_paint(&s->codes, g, l.code);
    if (l.has_code && g->columns >= SCREEN_WIDE_COLUMNS)
        grid_print(g, l.code.column, l.code.row - 1, HEADING, "%s",
                   s->badram.line[0] && !screen_codes_is_of_search(s) ? "The badram line"
                                                                      : "Short report");
    if (l.rest.badram)
        screen_paint_badram(s, g, &l.rest);
    if (l.rest.errors)
        screen_paint_errors(s, g, &l.rest);
    screen_paint_warnings(s, g, &l.rest);
    if (!l.has_code)
        screen_side_panels_paint_beside(s, g);
    screen_paint_keys(s, g, &l.rest);
}

size_t screen_result_parts(struct screen_state *s, unsigned columns, unsigned rows)
{
    struct screen_verdict v;
    struct result_layout l;

    screen_verdict_make(s, &v);
    l = lay_out(s, &v, columns, rows);
    return screen_parts(&l.rest);
}

bool screen_result_has_code(struct screen_state *s, unsigned columns, unsigned rows)
{
    struct screen_verdict v;

    screen_verdict_make(s, &v);
    return lay_out(s, &v, columns, rows).has_code;
}
