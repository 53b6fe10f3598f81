// SPDX-License-Identifier: MIT
/*
 * The memory modules: a list with their temperatures and the processor's, in Celsius; and a page of
 * all that is known of them.
 */
#pragma once

#include "display/grid.h"
#include "lib/fmt.h"
#include "screen/screen_state.h"

/* "CPU 63 C (highest 71), DIMM_A1 52 C (highest 55)": of modules the one that was hottest. */
#define SCREEN_TEMPERATURES_SIZE 64

/* The rows of the list, without its heading; 0: there is nothing to show. */
size_t screen_modules_rows(const struct screen_state *s);

/* In an area with a heading and those rows, of 46 columns or more; in fewer rows the first. */
void screen_modules_paint_list(const struct screen_state *s, struct grid *g, struct area area);

/* Temperatures in one line for a grid without room for the list; "": none is known. */
void screen_modules_temperatures(const struct screen_state *s, char text[SCREEN_TEMPERATURES_SIZE]);

/* "DIMM_A1 16 GiB DDR4 Samsung M471A2K43CB1-CTD"; the same for all with ", " between. */
void screen_modules_append_one(struct fmt_buffer *b, const struct module *m);
void screen_modules_append_all(const struct screen_state *s, struct fmt_buffer *b);

/* "2 modules of 16 GiB DDR4", "3 modules, 40 GiB"; nothing without modules. */
void screen_modules_append_count(const struct screen_state *s, struct fmt_buffer *b);

/* A section: its pages, and the rows below a page's heading. */
size_t screen_modules_parts(const struct screen_state *s, unsigned rows);
void screen_modules_paint(const struct screen_state *s, struct grid *g, size_t part);
