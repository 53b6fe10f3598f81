// SPDX-License-Identifier: MIT
#include "screen/screen_section.h"

#include "lib/div_up.h"

#define PERCENT_SEEN 10.0

size_t section_parts(size_t n, size_t each)
{
    return div_up(n, each);
}

void section_paint_left_out(struct grid *g, size_t n, size_t kept)
{
    if (n > kept)
        grid_print(g, MARGIN, page_end(g->rows) - 1, WARN, "and %zu more, in the report", n - kept);
}

void section_paint_figure(struct grid *g, unsigned end, unsigned row, uint8_t colour, double x)
{
    if (x > 0)
        grid_print_right(g, end, row, colour, "%.1f", x);
    else
        grid_print_right(g, end, row, DIM, "-");
}

/* However small, what was measured has a square. */
void section_paint_bar(struct grid *g, unsigned column, unsigned row, unsigned width, double x,
                       double most)
{
    unsigned n = 0;

    if (x > 0)
        n = x < most ? (unsigned)(x / most * width + 0.5) : width;
    if (x > 0 && !n)
        n = 1;
    grid_fill(g, column, row, width, 1, GLYPH_DOT, DIM);
    grid_fill(g, column, row, n, 1, GLYPH_SQUARE, GOOD);
}

void section_paint_percent(struct grid *g, unsigned end, unsigned row, double percent)
{
    grid_print_right(g, end, row, percent < PERCENT_SEEN ? PLAIN : WARN, "%.1f %%", percent);
}

void section_put_text(struct section_text *t, uint8_t colour, const char *text)
{
    if (!*text)
        return;
    for (size_t n; *text; text += n + (text[n] == '\n'), t->row++) {
        size_t line = 0;

        while (text[line] && text[line] != '\n')
            line++;
        n = grid_wrap(text, WIDTH);
        n = n < line ? n : line;
        if (t->g && t->row >= t->first && t->row < t->first + page_rows(t->g->rows))
            grid_put(t->g, MARGIN, PAGE_TOP + (unsigned)(t->row - t->first), colour, text, n);
    }
    t->row++;
}
