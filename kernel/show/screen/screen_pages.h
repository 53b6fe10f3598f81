// SPDX-License-Identifier: MIT
/*
 * The pages of keys b, c and s: bandwidth, a QR code, details. One exists once it has something to
 * show. Each shows the state of the memory test, so that a fault is never hidden.
 */
#pragma once

#include "display/grid.h"
#include "screen/screen_state.h"

/* How many there are of a key now. */
size_t screen_pages_count(const struct screen_state *s, enum screen_pages kind);

/* To the page of the key that was last visible or, from there, home. Stays when there is none. */
void screen_pages_turn(struct screen_state *s, enum screen_pages kind);

/* To the next page of the key; after the last the first. */
void screen_pages_next(struct screen_state *s);

/* Paints the visible page, with the keys. */
void screen_pages_paint(struct screen_state *s, struct grid *g);

/* The last row of the main page and of that of results. */
void screen_paint_keys(const struct screen_state *s, struct grid *g);
