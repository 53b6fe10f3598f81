// SPDX-License-Identifier: MIT
/*
 * The one QR code: of the badram line; of a short report where there is none, in a search for the
 * bad module, and where the line is too long. A framebuffer has room for 450 bytes, a device of
 * characters, where a module is half a cell, for 84.
 */
#pragma once

#include "display/grid.h"
#include "screen/screen_state.h"

/*
 * Writes the short report of now, which the code then shows until the next call: a code must not
 * change while a person takes its picture.
 */
void screen_code_renew_report(struct screen_state *s);

/* Makes the code of what is to be shown. False: there is none yet. */
bool screen_code_prepare(struct screen_state *s);

/* The code is of the report, as the badram line is too long. */
bool screen_code_lacks_line(const struct screen_state *s);

/* "The badram line", "Report (the line is too long)": at most 30 characters. */
const char *screen_code_name(const struct screen_state *s);

/* The least columns and rows of the code that was made. */
struct area screen_code_size(const struct screen_code *c);

/* Whether it has room in an area. */
bool screen_code_fits(const struct screen_code *c, struct area area);

/* Paints it, as large as it can be there. It must fit. */
void screen_code_paint(const struct screen_code *c, struct grid *g, struct area area);

/* A page of it, next to its text. */
void screen_code_paint_page(struct screen_state *s, struct grid *g);
