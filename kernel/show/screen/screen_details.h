// SPDX-License-Identifier: MIT
/*
 * The pages of key s: the result explained, warnings at full length, modules, and the facts that a
 * bug report needs. Each is a section; a new one is a row in the list of them.
 */
#pragma once

#include "display/grid.h"
#include "screen/screen_state.h"

/* How many pages there are now on a grid of that many rows. */
size_t screen_details_count(const struct screen_state *s, unsigned rows);

/* Paints the visible one; returns its number on this grid, from 0. */
size_t screen_details_paint(const struct screen_state *s, struct grid *g);
