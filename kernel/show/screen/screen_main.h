// SPDX-License-Identifier: MIT
/*
 * The main page. It is painted whole each time and depends on nothing but the state.
 *
 *   title, machine, a row a node with its bandwidth, progress (in the end: the verdict), errors
 * with the newest faults, the badram line, warnings, keys. Rows that one section leaves go to
 * others. A wide grid shows all RAM and the modules next to that, a high one below it.
 */
#pragma once

#include "display/grid.h"
#include "screen/screen_state.h"

void screen_main_paint(const struct screen_state *s, struct grid *g);

/* How many screenfuls the badram line, or what is in its place, has on such a grid. */
size_t screen_main_parts(const struct screen_state *s, const struct console_backend *b);
