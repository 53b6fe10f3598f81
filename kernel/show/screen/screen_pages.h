// SPDX-License-Identifier: MIT
/*
 * The pages other than the main one: measurements, and all warnings at full length; and QR codes. A
 * page exists once it has something to show. Each shows the state of the memory test, so that a
 * fault is never hidden.
 */
#pragma once

#include "screen/grid.h"
#include "screen/screen_state.h"

/* How many there are of a kind now. */
size_t screen_pages_count(const struct screen_state *s, enum screen_pages kind);

/* Their name in the row of keys: "bandwidth", "warnings" when these are all, "QR code"; or NULL. */
const char *screen_pages_name(const struct screen_state *s, enum screen_pages kind);

/* To the page of the kind that was last visible or, from this kind, home. Stays when
 * there are none. */
void screen_pages_turn(struct screen_state *s, enum screen_pages kind);

/* To the next page of the kind; after the last the first. One must be visible. */
void screen_pages_next(struct screen_state *s);

/* Paints the visible page. */
void screen_pages_paint(struct screen_state *s, struct grid *g);
