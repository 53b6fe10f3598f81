// SPDX-License-Identifier: MIT
/*
 * What a large grid shows in addition: a picture of all RAM, the speed of each node now and of all
 * since the start, the first bad pages with their faults, the memory modules with temperatures. On
 * a wide grid next to all other text, on a high one below the main page's.
 */
#pragma once

#include "screen/grid.h"
#include "screen/screen_layout.h"
#include "screen/screen_state.h"

#define SCREEN_WIDE_COLUMNS 120

/* Of the main page: no rows when there is no room, or nothing to show. */
struct screen_area screen_side_panels_area(const struct screen_state *s, unsigned columns,
                                           unsigned rows);

/* The rows that this leaves of a grid, with that of the keys. */
unsigned screen_side_panels_leave(struct screen_area area, unsigned rows);

void screen_side_panels_paint(const struct screen_state *s, struct grid *g,
                              struct screen_area area);

/* On any page, when the grid is wide. */
void screen_side_panels_paint_beside(const struct screen_state *s, struct grid *g);
