// SPDX-License-Identifier: MIT
#include "display/grid.h"

#include <stdarg.h>

#include "lib/fmt.h"
#include "lib/panic.h"
#include "lib/string.h"

const uint8_t palette_rgb[16][3] = {
    { 0x00, 0x00, 0x00 }, { 0x10, 0x30, 0xa0 }, { 0x00, 0x78, 0x68 }, { 0x00, 0x98, 0xa8 },
    { 0xb0, 0x10, 0x10 }, { 0xa0, 0x00, 0xa0 }, { 0xd0, 0x80, 0x00 }, { 0xb8, 0xb8, 0xb8 },
    { 0x7c, 0x7c, 0x7c }, { 0x68, 0x88, 0xff }, { 0x50, 0xe0, 0x60 }, { 0x58, 0xe0, 0xf0 },
    { 0xff, 0x60, 0x58 }, { 0xff, 0x68, 0xff }, { 0xff, 0xe0, 0x50 }, { 0xff, 0xff, 0xff },
};

void grid_resize(struct grid *g, unsigned columns, unsigned rows)
{
    ASSERT(columns >= GRID_COLUMNS_MIN && columns <= GRID_COLUMNS_MAX);
    ASSERT(rows >= GRID_ROWS_MIN && rows <= GRID_CELLS_MAX / columns);
    g->columns = columns;
    g->rows = rows;
}

void grid_clear(struct grid *g, uint8_t colour)
{
    grid_fill(g, AREA(0, 0, g->columns, g->rows), CELL(' ', colour));
}

void grid_fill(struct grid *g, struct area area, struct cell cell)
{
    for (unsigned y = area.row; y < g->rows && y - area.row < area.rows; y++)
        for (unsigned x = area.column; x < g->columns && x - area.column < area.columns; x++)
            *grid_at(g, x, y) = cell;
}

static uint8_t printable(char c)
{
    return c >= ' ' && c <= '~' ? (uint8_t)c : '?';
}

void grid_put(struct grid *g, struct at at, uint8_t colour, const char *text, size_t n)
{
    if (at.row >= g->rows)
        return;
    for (unsigned x = at.column; x < g->columns && n && *text; x++, n--, text++)
        *grid_at(g, x, at.row) = CELL(printable(*text), colour);
}

void grid_put_large(struct grid *g, struct at at, uint8_t colour, const char *text, size_t n)
{
    for (unsigned i = 0; i < n && text[i]; i++)
        for (uint8_t quarter = QUARTER_LEFT_UPPER; quarter <= QUARTER_RIGHT_LOWER; quarter++)
            grid_fill(g,
                      AREA(at.column + 2 * i + (quarter - 1) % 2, at.row + (quarter - 1) / 2, 1, 1),
                      (struct cell){ printable(text[i]), colour, quarter });
}

unsigned grid_text(struct grid *g, struct at at, unsigned width, uint8_t colour, const char *text)
{
    size_t n = strlen(text);

    if (!width)
        return 0;
    if (n <= width) {
        grid_put(g, at, colour, text, n);
        return (unsigned)n;
    }
    grid_put(g, at, colour, text, width - 1);
    grid_fill(g, AREA(at.column + width - 1, at.row, 1, 1), CELL(GLYPH_CUT, colour));
    return width;
}

unsigned grid_print(struct grid *g, struct at at, uint8_t colour, const char *format, ...)
{
    char text[GRID_COLUMNS_MAX + 2]; /* one more than fits, so that what is too long shows it */
    va_list args;

    va_start(args, format);
    fmt_vprint(text, sizeof(text), format, args);
    va_end(args);
    return grid_text(g, at, at.column < g->columns ? g->columns - at.column : 0, colour, text);
}

void grid_print_right(struct grid *g, struct at end, uint8_t colour, const char *format, ...)
{
    char text[GRID_COLUMNS_MAX + 2];
    va_list args;
    size_t n;

    va_start(args, format);
    fmt_vprint(text, sizeof(text), format, args);
    va_end(args);
    n = strlen(text);
    grid_text(g, AT(n < end.column ? end.column - (unsigned)n : 0, end.row), end.column, colour,
              text);
}

void grid_bar(struct grid *g, struct area area, double part, uint8_t full_colour,
              uint8_t rest_colour)
{
    struct area full = area;

    full.columns = !(part > 0) ? 0 : part >= 1 ? area.columns : (unsigned)(part * area.columns);
    grid_fill(g, area, CELL(GLYPH_DOT, rest_colour));
    grid_fill(g, full, CELL(GLYPH_SQUARE, full_colour));
}

void grid_blacken(struct grid *g, unsigned x, unsigned y)
{
    unsigned bit = y % SQUARES_DOWN * SQUARES_ACROSS + x % SQUARES_ACROSS;

    if (x / SQUARES_ACROSS < g->columns && y / SQUARES_DOWN < g->rows)
        grid_at(g, x / SQUARES_ACROSS, y / SQUARES_DOWN)->code |= (uint8_t)(1 << bit);
}

struct cell grid_half_blocks(struct cell squares)
{
    bool upper = squares.code & 1, lower = squares.code & 0x10;
    uint8_t code = upper && lower ? GLYPH_FULL : upper ? GLYPH_UPPER : lower ? GLYPH_LOWER : ' ';

    return CELL(code, COLOUR(BLACK, WHITE));
}

size_t grid_wrap(const char *text, size_t width)
{
    size_t n = 0, good = 0;

    for (; n < width && text[n]; n++) {
        if (text[n] == ' ' || (text[n] == ',' && text[n + 1] != ' ')) /* no row begins blank */
            good = n + 1;
    }
    return !text[n] || !good ? n : good;
}

size_t grid_wrapped_rows(const char *text, size_t width)
{
    size_t rows = 0;

    for (; *text; rows++)
        text += grid_wrap(text, width);
    return rows;
}

void grid_view_init(struct grid_view *v, struct console_backend backend, unsigned budget)
{
    memset(v, 0, sizeof(*v));
    v->backend = backend;
    v->budget = budget;
}

void grid_view_forget(struct grid_view *v)
{
    memset(v->shown, 0, sizeof(v->shown)); /* no grid holds a cell with code 0 */
}

bool grid_refresh(const struct grid *g, struct grid_view *v, bool all)
{
    const unsigned n_cells = g->rows * g->columns;
    unsigned drawn = 0;

    for (unsigned i = 0; i < n_cells; i++) {
        unsigned at = (v->next + i) % n_cells;
        struct cell want = g->cell[at], *have = &v->shown[at];

        if (want.code == have->code && want.colour == have->colour && want.quarter == have->quarter)
            continue;
        if (!all && v->budget && drawn == v->budget) {
            v->next = at;
            return false;
        }
        v->backend.draw(v->backend.ctx, at % g->columns, at / g->columns, want);
        *have = want;
        drawn++;
    }
    v->next = 0;
    return true;
}
