// SPDX-License-Identifier: MIT
/*
 * The pages beside the main one: what was measured of the memory, and all warnings at full length.
 * A page is there once it has something to show. Its last rows tell how the memory test is doing,
 * so that a hole is never out of sight.
 */
#pragma once

#include "screen/grid.h"
#include "screen/screen_state.h"

/* How many there are now. */
size_t screen_pages_count(const struct screen_state *s);

/* What they are called among the keys: "bandwidth", or "warnings" when these are all; or NULL. */
const char *screen_pages_name(const struct screen_state *s);

/* From the main page to the page that was last in sight, or back. Stays when there are none. */
void screen_pages_turn(struct screen_state *s);

/* To the next page; after the last the first. There must be one. */
void screen_pages_next(struct screen_state *s);

/* The picture of the page that is in sight. */
void screen_pages_paint(const struct screen_state *s, struct grid *g);
