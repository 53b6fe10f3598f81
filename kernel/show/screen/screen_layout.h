// SPDX-License-Identifier: MIT
/* Where the sections of the main page are, and in which colours. */
#pragma once

#include <stddef.h>

#include "screen/grid.h"
#include "screen/screen_state.h"

/* Of what every grid has room for; columns beyond are for screen_side_panels. */
#define MARGIN 1
#define WIDTH  (GRID_COLUMNS_MIN - 2 * MARGIN)
#define END    (GRID_COLUMNS_MIN - MARGIN) /* the column after the last one used */

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

enum { ROW_TITLE, ROW_CPU, ROW_MEMORY, VERDICT_ROWS = 4 };

/* In the place of the keys: pages turn by themselves, or no keyboard answers; NULL: neither. */
const char *screen_instead_of_keys(const struct screen_state *s);

/* A rectangle of cells. */
struct screen_area {
    unsigned column, row, columns, rows;
};

/* The last row of a grid has the keys. */
static inline unsigned row_keys(const struct grid *g)
{
    return g->rows - 1;
}

/* All in rows. */
struct screen_layout {
    unsigned nodes, n_nodes;
    unsigned verdict; /* four rows: heading and progress, or the verdict */
    unsigned errors, n_faults;
    unsigned badram, n_line;
    unsigned warnings, n_warnings;
    size_t line_rows; /* of the whole badram line and the text with it */
    unsigned gap;     /* empty rows between sections */
};

/* On `rows` rows, of which the last is for the keys. */
struct screen_layout screen_lay_out(const struct screen_state *s, unsigned rows);

/*
 * Where a row of the badram line ends: after its second pattern, so that rows begin alike and can
 * be checked against each other. A \n ends a row and belongs to it.
 */
size_t screen_wrap_line(const char *text);

/* How many rows a text takes so. */
size_t screen_line_rows(const char *text);

/* Visible rows of the badram line: when not all are, the section's last row says so. */
unsigned screen_rows_shown(const struct screen_layout *l);

/* How many screenfuls the badram line has, at least 1. */
size_t screen_parts(const struct screen_layout *l);

/* "── title ───────────────── note ──" */
void screen_paint_heading(struct grid *g, unsigned row, const char *title, const char *note);

/* A heading in the first row of an area. */
void screen_paint_heading_in(struct grid *g, struct screen_area area, const char *title,
                             const char *note);

/* How many rows all warnings take. */
size_t screen_warning_rows(const struct screen_state *s);

/* Sections of the main page and of the page of results. */
void screen_paint_machine(const struct screen_state *s, struct grid *g);
void screen_paint_errors(const struct screen_state *s, struct grid *g,
                         const struct screen_layout *l);
void screen_paint_badram(const struct screen_state *s, struct grid *g,
                         const struct screen_layout *l);
void screen_paint_warnings(const struct screen_state *s, struct grid *g,
                           const struct screen_layout *l);
void screen_paint_keys(const struct screen_state *s, struct grid *g, const struct screen_layout *l);

/* Progress of the run; or, in the same rows, its result. */
void screen_paint_progress(const struct screen_state *s, struct grid *g,
                           const struct screen_layout *l);
void screen_paint_verdict(const struct screen_state *s, struct grid *g,
                          const struct screen_layout *l);
