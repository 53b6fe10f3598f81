// SPDX-License-Identifier: MIT
/*
 * The pages other than the main one: measurements, and all warnings at full length. A page exists
 * once it has something to show. Its last rows show the state of the memory test, so that a fault
 * is never hidden.
 */
#pragma once

#include "screen/grid.h"
#include "screen/screen_state.h"

/* How many there are now. */
size_t screen_pages_count(const struct screen_state *s);

/* Their name in the row of keys: "bandwidth", or "warnings" when these are all; or NULL. */
const char *screen_pages_name(const struct screen_state *s);

/* From the main page to the page that was last visible, or back. Stays when there are none. */
void screen_pages_turn(struct screen_state *s);

/* To the next page; after the last the first. There must be one. */
void screen_pages_next(struct screen_state *s);

/* Paints the visible page. */
void screen_pages_paint(const struct screen_state *s, struct grid *g);
