// SPDX-License-Identifier: MIT
/*
 * Pages of QR codes, next to the text that each holds. A framebuffer has room for codes of 450
 * bytes, a device of characters, where a module is half a cell, for 84: a longer text takes
 * several.
 */
#pragma once

#include "screen/grid.h"
#include "screen/screen_layout.h"
#include "screen/screen_state.h"

void screen_codes_begin(struct screen_state *s);

/* There is a device that shows no single squares: codes become small enough for it. */
void screen_codes_use_half_blocks(struct screen_state *s);

/*
 * Writes the short report of now, which the codes then show until the next call: a code must not
 * change while a person takes its picture.
 */
void screen_codes_renew_report(struct screen_state *s);

/* Whether the result is one of a search for the bad module: then the short report is about that. */
bool screen_codes_is_of_search(const struct screen_state *s);

/*
 * Makes the code for the page of results: of the badram line or, where there is none and in a
 * search for the bad module, of the short report. False: it takes more than one code.
 */
bool screen_codes_prepare_result(struct screen_state *s);

/* Whether the code that is kept has room in an area. */
bool screen_codes_fit(const struct screen_codes *c, struct screen_area area);

/* Paints it, as large as it can be there. It must fit. */
void screen_codes_paint(const struct screen_codes *c, struct grid *g, struct screen_area area);
