// SPDX-License-Identifier: MIT
/* Blocks of rows that the main page and that of results are both made of. */
#pragma once

#include "screen/grid.h"
#include "screen/screen_section.h"
#include "screen/screen_state.h"

enum { ROW_CPU = ROW_TITLE + 1, ROW_MEMORY };

/* The rows of a block above its list: a heading, and for errors their counts. */
#define ERROR_ROWS 2

/* The first three rows. */
void screen_paint_machine(const struct screen_state *s, struct grid *g);

/* From that row on, with the newest faults or the titles of their columns in n_faults rows. */
void screen_paint_errors(const struct screen_state *s, struct grid *g, unsigned row,
                         unsigned n_faults);

/* How many rows the badram line takes, or what is in its place. */
size_t screen_line_rows(const struct screen_state *s);

/* How many screenfuls that is on so many rows, at least 1. */
size_t screen_line_parts(const struct screen_state *s, unsigned rows);

/* A heading in that row, and the visible part of the line in n_rows below. */
void screen_paint_line(const struct screen_state *s, struct grid *g, unsigned row, unsigned n_rows);

/* How many rows all warnings take. */
size_t screen_warning_rows(const struct screen_state *s);

void screen_paint_warnings(const struct screen_state *s, struct grid *g, unsigned row,
                           unsigned n_rows);
