// SPDX-License-Identifier: MIT
#include "screen/screen_result.h"

#include <stdbool.h>

#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "screen/screen_blocks.h"
#include "screen/screen_code.h"
#include "screen/screen_pages.h"

/*
 * Words in large letters, to be read from across the room: those of a bold console font, each cell
 * two of its pixels, one above the other. On screens, whose cells are about twice as high as wide,
 * the letters then look as they were drawn.
 */

struct word_size {
    unsigned columns, rows; /* rows 0: not even one line fits */
    unsigned letter_rows;
    bool is_cut; /* the longest of its lines is all that there is room for */
};

#define PIXELS_A_ROW 2 /* of a font, in a row of cells */

/* big_letters_data.asm: 26 glyphs each. */
extern const uint8_t big_letters_16[], big_letters_20[], big_letters_24[], big_letters_32[];

/* The largest first. Capitals have the pixel rows top to top + height - 1. */
static const struct letters {
    const uint8_t *glyphs;
    uint8_t width, rows, top, height; /* of a glyph, in pixels */
} fonts[] = {
    { big_letters_32, 16, 32, 6, 20 },
    { big_letters_24, 12, 24, 4, 16 },
    { big_letters_20, 10, 20, 3, 14 },
    { big_letters_16, 8, 16, 2, 10 },
};

static unsigned width_of(const struct letters *font, const char *text, size_t n)
{
    unsigned width = 0;

    for (size_t i = 0; i < n; i++)
        width += text[i] == ' ' ? font->width / 2u : font->width;
    return width;
}

static size_t word_length(const char *text)
{
    size_t n = 0;

    while (text[n] && text[n] != ' ')
        n++;
    return n;
}

/* As many whole words as a line of these columns holds; at least one. */
static size_t line_length(const struct letters *font, const char *text, unsigned columns)
{
    size_t n = word_length(text);

    while (text[n]) {
        size_t next = n + 1 + word_length(text + n + 1);

        if (width_of(font, text, next) > columns)
            break;
        n = next;
    }
    return n;
}

/* After a line: where the next one begins. */
static const char *after_line(const char *text, size_t n)
{
    return text[n] ? text + n + 1 : text + n;
}

static struct word_size size_in(const struct letters *font, const char *text, unsigned columns)
{
    struct word_size size = { .letter_rows = font->height / PIXELS_A_ROW };
    unsigned lines = 0;

    for (size_t n; *text; text = after_line(text, n)) {
        n = line_length(font, text, columns);
        size.columns = (unsigned)max_u64(size.columns, width_of(font, text, n));
        lines++;
    }
    size.rows = lines * (size.letter_rows + 1) - 1;
    return size;
}

/*
 * The size of words of the letters A to Z, on as many lines as they take, in the largest font with
 * which that is at most these columns and rows. 5 rows are enough for a line in the smallest font,
 * and 8 columns for each letter. Where that has no room, one line in it.
 */
static struct word_size screen_word_size(const char *text, unsigned columns, unsigned rows)
{
    struct word_size size = { 0 };

    for (size_t i = 0; i < sizeof(fonts) / sizeof(fonts[0]); i++) {
        size = size_in(&fonts[i], text, columns);
        if (size.columns <= columns && size.rows <= rows)
            return size;
    }
    size.is_cut = true;
    size.rows = size.letter_rows;
    return size.columns <= columns && size.rows <= rows ? size : (struct word_size){ 0 };
}

static const struct letters *font_of(struct word_size size)
{
    for (size_t i = 0; i < sizeof(fonts) / sizeof(fonts[0]); i++) {
        if (fonts[i].height / PIXELS_A_ROW == size.letter_rows)
            return &fonts[i];
    }
    panic("screen: no letters of %u rows", size.letter_rows);
}

static unsigned pixel(const struct letters *font, char letter, unsigned x, unsigned y)
{
    unsigned row_bytes = (font->width + 7u) / 8;
    const uint8_t *glyph = font->glyphs + (unsigned)(letter - 'A') * row_bytes * font->rows;

    return glyph[(font->top + y) * row_bytes + x / 8] >> (7 - x % 8) & 1;
}

static void paint_letter(struct grid *g, struct at at, const struct letters *font, char letter,
                         uint8_t colour)
{
    static const uint8_t glyph[] = { ' ', GLYPH_UPPER, GLYPH_LOWER, GLYPH_FULL };

    for (unsigned y = 0; y < font->height; y += PIXELS_A_ROW) {
        for (unsigned x = 0; x < font->width; x++) {
            unsigned upper = pixel(font, letter, x, y), lower = pixel(font, letter, x, y + 1);

            grid_fill(g, AREA(at.column + x, at.row + y / PIXELS_A_ROW, 1, 1),
                      CELL(glyph[upper | lower << 1], colour));
        }
    }
}

/* Paints them in that size; foreground and background are those of colour. */
static void screen_paint_word(struct grid *g, struct at at, const char *text, struct word_size size,
                              uint8_t colour)
{
    const struct letters *font = font_of(size);

    for (size_t n; *text; text = after_line(text, n)) {
        struct at letter = at;

        n = line_length(font, text, size.columns);
        if (size.is_cut && width_of(font, text, n) < size.columns)
            continue;
        for (size_t i = 0; i < n; letter.column += width_of(font, text + i++, 1)) {
            ASSERT((text[i] >= 'A' && text[i] <= 'Z') || text[i] == ' ');
            if (text[i] != ' ')
                paint_letter(g, letter, font, text[i], colour);
        }
        if (size.is_cut)
            return;
        at.row += size.letter_rows + 1;
    }
}

#define ROW_ABOUT (ROW_MEMORY + 1)

/* Where the code is: next to the page, or below the large letters on the right. */
#define BELOW_ROWS_MIN 30
#define BELOW_COLUMNS  29 /* at most */

#define WORD_ROWS_MIN 5
#define LINE_ROWS_MIN 2 /* of the badram line, with a heading */

#define FACT_ROWS_MAX 8 /* of one: all of it */
#define REST_ROWS_MIN 3 /* of what comes after the text */
#define LINE_ROWS_MAX 8 /* of a badram line that comes before whole facts, with its heading */

#define LARGE_ROWS_MAX 6 /* of the line below the word, twice as large */

#define ROWS_HIGH      36 /* from so many on, there are */
#define ABOUT_ROWS_MAX 4  /* for the machine, instead of one */

struct result_layout {
    unsigned about_rows, verdict;
    struct word_size word; /* in large letters */
    bool is_large;         /* so is the line below it */
    bool is_cut;           /* the advice or the options, or, for large text, facts have no room */
    bool has_code;
    struct area code;
    unsigned facts, width; /* rows of text, and how wide they are */
    unsigned kind_rows, untested_rows;
    const char *advice, *options; /* as much of these as there is room for */
    unsigned advice_rows;
    /* The rest, 0: it is not there. */
    unsigned line, n_line;
    unsigned errors, n_faults;
    unsigned warnings, n_warnings;
};

/* Text twice as large, all of it: as wide as it is, two rows for each row of text. */
static unsigned paint_large(struct grid *g, struct at at, unsigned columns, uint8_t colour,
                            const char *text)
{
    for (; *text; at.row += 2) {
        size_t n = grid_wrap(text, columns / 2);

        grid_put_large(g, at, colour, text, n);
        text += n;
    }
    return at.row;
}

static unsigned large_rows(const char *text, unsigned columns)
{
    return 2 * (unsigned)grid_wrapped_rows(text, columns / 2);
}

/* The facts and a heading; the advice comes after it. */
static unsigned text_rows(const struct screen_verdict *v, const struct result_layout *l)
{
    unsigned width = l->width;
    size_t what = l->is_large ? large_rows(v->what, width) : grid_wrapped_rows(v->what, width);
    size_t rows = what + l->kind_rows + grid_wrapped_rows(v->tested, width) + l->untested_rows +
                  grid_wrapped_rows(v->excluded, width) + 1 + grid_wrapped_rows(v->kept, width);

    return (unsigned)rows;
}

static void place_code(struct screen_state *s, unsigned columns, unsigned rows,
                       struct result_layout *l)
{
    struct area size;

    if (!screen_code_prepare(s))
        return;
    size = screen_code_size(&s->code);
    if (columns >= SCREEN_WIDE_COLUMNS) {
        l->code = AREA(GRID_COLUMNS_MIN + 1, l->verdict + 1,
                       columns - GRID_COLUMNS_MIN - 1 - MARGIN, rows - 2 - l->verdict);
        l->has_code = screen_code_fits(&s->code, l->code);
    } else if (rows >= BELOW_ROWS_MIN && size.columns <= BELOW_COLUMNS &&
               !screen_code_lacks_line(s)) {
        l->code = AREA(END - size.columns, l->facts, size.columns, size.rows);
        l->width = WIDTH - size.columns - 1;
        l->has_code = true;
    }
}

/* The line comes first, then a warning, then faults. */
static void share_rows(const struct screen_state *s, struct result_layout *l, unsigned row,
                       unsigned end)
{
    const size_t line_rows = screen_line_rows(s), warnings = screen_warning_rows(s);
    unsigned left = end - row;

    if (line_rows && left >= 2) {
        l->line = row;
        l->n_warnings = (unsigned)min_u64(warnings, left / 4);
        l->n_line = (unsigned)min_u64(line_rows, left - 1 - l->n_warnings);
        row += 1 + l->n_line;
    } else {
        l->n_warnings = (unsigned)min_u64(warnings, left);
    }
    l->warnings = end - l->n_warnings;
    left = l->warnings - row;
    if (left > ERROR_ROWS && (s->n_faults || s->bad_pages)) { /* and a fault */
        l->errors = row;
        l->n_faults = left - ERROR_ROWS;
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
    l->is_cut |= l->advice != v->advice || rows < whole || l->options != v->options;
    return rows + rows_of(l->options, l);
}

/* How large the letters are, and whether the code, on a grid that is not wide, and the machine are
 * there. */
struct attempt {
    bool is_small, has_code, has_about, is_large;
};

static struct result_layout try(struct screen_state *s, const struct screen_verdict *v,
                                unsigned columns, unsigned rows, struct attempt attempt)
{
    struct result_layout l = { .width = WIDTH, .is_large = attempt.is_large };
    unsigned part = attempt.is_small ? rows : strchr(v->big, ' ') ? 3 : 4, text_end;
    unsigned line = 1 + (unsigned)screen_line_rows(s);
    unsigned rest = line > LINE_ROWS_MAX ? REST_ROWS_MIN : (unsigned)max_u64(line, REST_ROWS_MIN);

    if (attempt.has_about)
        l.about_rows = screen_paint_about(s, NULL, 0, rows < ROWS_HIGH ? 1 : ABOUT_ROWS_MAX);
    l.verdict = ROW_ABOUT + l.about_rows;
    l.word = screen_word_size(v->big, WIDTH, (unsigned)max_u64(rows / part, WORD_ROWS_MIN));
    l.facts = l.verdict + l.word.rows + 2;
    if (attempt.has_code || columns >= SCREEN_WIDE_COLUMNS)
        place_code(s, columns, rows, &l);
    l.is_cut = l.is_large && large_rows(v->what, l.width) > LARGE_ROWS_MAX;
    for (unsigned n = 2 * FACT_ROWS_MAX; n > 1; n--) { /* the advice and the line come first */
        l.kind_rows = (unsigned)min_u64(rows_of(v->kind, &l), (n + 1) / 2);
        l.untested_rows = (unsigned)min_u64(rows_of(v->untested, &l), n / 2);
        if (l.facts + text_rows(v, &l) + rows_of(v->advice, &l) + rows_of(v->options, &l) + rest <=
            rows - 1)
            break;
        l.is_cut |= l.is_large;
    }
    text_end = l.facts + text_rows(v, &l);
    text_end +=
        choose_advice(v, rows - 1 - (unsigned)min_u64(text_end + REST_ROWS_MIN, rows - 1), &l);
    if (l.has_code && columns < SCREEN_WIDE_COLUMNS)
        text_end = (unsigned)max_u64(text_end, l.code.row + l.code.rows);
    share_rows(s, &l, text_end, rows - 1);
    return l;
}

/* Large letters and the code, which names the machine, too, unless the advice is then cut. */
static struct result_layout lay_out(struct screen_state *s, const struct screen_verdict *v,
                                    unsigned columns, unsigned rows, bool has_quarters)
{
    static const struct attempt attempts[] = {
        { false, true, true, true },   { true, true, true, true },   { false, true, true, false },
        { true, true, true, false },   { true, true, false, false }, { false, false, true, true },
        { false, false, true, false }, { true, false, true, false }, { true, false, false, false }
    };

    for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
        struct result_layout l;

        if (attempts[i].is_large && !has_quarters)
            continue;
        l = try(s, v, columns, rows, attempts[i]);
        if (!l.is_cut)
            return l;
    }
    return try(s, v, columns, rows, (struct attempt){ .is_small = true, .has_about = true });
}

static void paint_text(struct grid *g, const struct result_layout *l,
                       const struct screen_verdict *v)
{
    const struct {
        const char *text;
        unsigned rows;
        uint8_t colour;
    } facts[] = { { l->is_large ? "" : v->what, g->rows, STRONG },
                  { v->kind, l->kind_rows, PLAIN },
                  { v->tested, g->rows, PLAIN },
                  { v->untested, l->untested_rows, PLAIN },
                  { v->excluded, g->rows, PLAIN } },
      advice[] = { { l->advice, l->advice_rows, STRONG },
                   { l->options, g->rows, PLAIN },
                   { v->kept, g->rows, PLAIN } };
    unsigned row = l->facts;

    if (l->is_large)
        row = paint_large(g, AT(MARGIN, row), l->width, STRONG, v->what);
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        row = screen_paint_wrapped(g, AREA(MARGIN, row, l->width, facts[i].rows), facts[i].colour,
                                   facts[i].text);
    screen_paint_heading_in(g, AREA(MARGIN, row++, l->width, 1), "What to do", "");
    for (size_t i = 0; i < sizeof(advice) / sizeof(advice[0]); i++)
        row = screen_paint_wrapped(g, AREA(MARGIN, row, l->width, advice[i].rows), advice[i].colour,
                                   advice[i].text);
}

static void paint_word(struct grid *g, const struct result_layout *l,
                       const struct screen_verdict *v)
{
    unsigned columns = g->columns >= SCREEN_WIDE_COLUMNS ? GRID_COLUMNS_MIN : g->columns;

    grid_fill(g, AREA(0, l->verdict, columns, l->facts - l->verdict), CELL(' ', v->colour));
    screen_paint_word(g, AT(MARGIN, l->verdict + 1), v->big, l->word, v->colour);
}

void screen_result_paint(struct screen_state *s, struct grid *g)
{
    struct screen_verdict v;
    struct result_layout l;

    screen_verdict_make(s, &v);
    l = lay_out(s, &v, g->columns, g->rows, g->has_quarters);
    grid_clear(g, PLAIN);
    screen_paint_machine(s, g);
    screen_paint_about(s, g, ROW_ABOUT, l.about_rows);
    paint_word(g, &l, &v);
    paint_text(g, &l, &v);
    if (l.has_code)
        screen_code_paint(&s->code, g, l.code);
    if (l.has_code && g->columns >= SCREEN_WIDE_COLUMNS)
        grid_print(g, AT(l.code.column, l.code.row - 1), HEADING, "%s", screen_code_name(s));
    if (l.line)
        screen_paint_line(s, g, l.line, l.n_line);
    if (l.errors)
        screen_paint_errors(s, g, l.errors, l.n_faults);
    screen_paint_warnings(s, g, l.warnings, l.n_warnings);
    screen_paint_keys(s, g);
}

size_t screen_result_parts(struct screen_state *s, const struct console_backend *b)
{
    struct screen_verdict v;
    struct result_layout l;

    screen_verdict_make(s, &v);
    l = lay_out(s, &v, b->columns, b->rows, b->has_squares);
    return screen_line_parts(s, l.n_line);
}

bool screen_result_has_code(struct screen_state *s, const struct console_backend *b)
{
    struct screen_verdict v;

    screen_verdict_make(s, &v);
    return lay_out(s, &v, b->columns, b->rows, b->has_squares).has_code;
}
