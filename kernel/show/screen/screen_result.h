// SPDX-License-Identifier: MIT
/*
 * The page of results: all that one photograph should have.
 *
 *   title, machine, the result in large letters, what was tested, what to do next, the badram line,
 * the newest faults, warnings, keys; and a QR code of the line or, without one, of the short
 * report, where it fits: next to all that on a wide grid, below the large letters on a high one.
 */
#pragma once

#include "display/grid.h"
#include "screen/screen_state.h"

void screen_result_paint(struct screen_state *s, struct grid *g);

/* How many screenfuls the badram line, or what is in its place, has on such a grid. */
size_t screen_result_parts(struct screen_state *s, const struct console_backend *b);

/* Whether the code of the badram line is on the page, on such a grid. */
bool screen_result_has_code(struct screen_state *s, const struct console_backend *b);
