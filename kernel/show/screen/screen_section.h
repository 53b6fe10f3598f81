// SPDX-License-Identifier: MIT
/* Positions and colours on a page, and the pieces that pages are made of. */
#pragma once

#include <stddef.h>

#include "display/grid.h"
#include "screen/screen_state.h"

/* Of what every grid has room for. */
#define MARGIN 1
#define WIDTH  (GRID_COLUMNS_MIN - 2 * MARGIN)
#define END    (GRID_COLUMNS_MIN - MARGIN) /* the column after the last one used */

/* From so many columns on, there is something next to those. */
#define SCREEN_WIDE_COLUMNS 120

enum {
    PLAIN = COLOUR(LIGHT_GREY, BLACK),
    STRONG = COLOUR(WHITE, BLACK),
    DIM = COLOUR(DARK_GREY, BLACK),
    TITLE = COLOUR(WHITE, BLUE),
    HEADING = COLOUR(LIGHT_CYAN, BLACK),
    GOOD = COLOUR(LIGHT_GREEN, BLACK),
    BAD = COLOUR(LIGHT_RED, BLACK),
    WARN = COLOUR(YELLOW, BLACK),
    KEYS = COLOUR(BLACK, LIGHT_GREY),
};

/* On all pages; on those of a key, from row PAGE_TOP up to page_end(), which has the status. */
enum { ROW_TITLE, PAGE_HEADING, PAGE_TOP };

static inline unsigned page_end(unsigned rows)
{
    return rows - 2;
}

static inline unsigned page_rows(unsigned rows)
{
    return page_end(rows) - PAGE_TOP;
}

/* The last row of a grid. */
static inline unsigned row_keys(const struct grid *g)
{
    return g->rows - 1;
}

/* Next to the page, below the title, on a wide grid. */
static inline struct area area_beside(unsigned columns, unsigned rows)
{
    return AREA(GRID_COLUMNS_MIN + 1, ROW_TITLE + 1, columns - GRID_COLUMNS_MIN - 1 - MARGIN,
                rows - 2);
}

/* The first row; `right` ends it. */
void screen_paint_title(const struct screen_state *s, struct grid *g, const char *title,
                        const char *right);

/* "── title ───────────────── note ──", in the first row of an area. */
void screen_paint_heading_in(struct grid *g, struct area area, const char *title, const char *note);
void screen_paint_heading(struct grid *g, unsigned row, const char *title, const char *note);

/* Where a text goes on that has no room: the pages of key s. */
#define SCREEN_MORE " ... (key s)"

#define SCREEN_FITTED_SIZE 1600

/*
 * As much of text as fits on the area's rows: all; or whole words, better up to a punctuation mark,
 * and SCREEN_MORE. Returns the row after it.
 */
unsigned screen_paint_wrapped(struct grid *g, struct area area, uint8_t colour, const char *text);

/* With that many decimals before the column of `end`; "-" for 0: not measured. */
void screen_paint_figure(struct grid *g, struct at end, uint8_t colour, int decimals, double x);

/* Which of its pages a section paints: of sentences, their rows from `first` on. */
struct section_text {
    struct grid *g; /* NULL: rows are only counted */
    size_t row, first;
};

/* Each line of the text on rows of its own, and an empty row after the last. */
void section_put_text(struct section_text *t, uint8_t colour, const char *text);
