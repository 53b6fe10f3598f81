// SPDX-License-Identifier: MIT
/* A section: all warnings that are kept, at full length. */
#include "screen/screen_section.h"

#include "lib/minmax.h"

#define INDENT (sizeof("warning: ") - 1) /* of a warning's further rows */

/* The last row is for what was left out. */
static unsigned text_rows(unsigned rows)
{
    return page_rows(rows) - 1;
}

static size_t warnings_kept(const struct screen_state *s)
{
    return min_u64(s->n_warnings, SCREEN_WARNINGS_MAX);
}

/* Paints the rows of the text that are among the page's, the first being row number `row`. */
static size_t paint_text(struct grid *g, const char *text, size_t row, size_t first)
{
    unsigned indent = 0;

    for (; *text; row++, indent = INDENT) {
        size_t n = grid_wrap(text, WIDTH - indent);

        if (g && row >= first && row < first + text_rows(g->rows))
            grid_put(g, MARGIN + indent, PAGE_TOP + (unsigned)(row - first), WARN, text, n);
        text += n;
    }
    return row;
}

/* Without a grid, only counts the rows. */
static size_t walk(const struct screen_state *s, struct grid *g, size_t first)
{
    size_t row = 0;

    for (size_t i = 0; i < warnings_kept(s); i++)
        row = paint_text(g, s->warning[i], row, first);
    return row;
}

static size_t parts(const struct screen_state *s, unsigned rows)
{
    return section_parts(walk(s, NULL, 0), text_rows(rows));
}

static void paint(const struct screen_state *s, struct grid *g, size_t part)
{
    screen_paint_heading(g, PAGE_HEADING, "Warnings", "");
    walk(s, g, part * text_rows(g->rows));
    section_paint_left_out(g, s->n_warnings, SCREEN_WARNINGS_MAX);
}

const struct screen_section section_warnings = { .parts = parts, .paint = paint };
