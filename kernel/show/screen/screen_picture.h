// SPDX-License-Identifier: MIT
/* The picture of all RAM: what is tested, swept now, left out, okram's own, and bad. */
#pragma once

#include "display/grid.h"
#include "screen/screen_state.h"

/* The rows that it takes at this width, with its legend; 0: there is nothing to show. */
size_t screen_picture_rows(const struct screen_state *s, unsigned columns);

/*
 * In an area with a heading and those rows; in fewer rows cells are joined. Each node begins a row.
 */
void screen_picture_paint(const struct screen_state *s, struct grid *g, struct area area);

/* All of it in one row of the main page: nodes one after the other, with a gap between them. */
void screen_picture_paint_strip(const struct screen_state *s, struct grid *g, unsigned row);
