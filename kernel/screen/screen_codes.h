// SPDX-License-Identifier: MIT
/*
 * Pages of QR codes, beside the text that each holds. A framebuffer has room for codes of 450
 * bytes, a device of characters, where a module is half a cell, for 84: a longer text takes
 * several.
 */
#pragma once

#include "screen/screen_state.h"

void screen_codes_begin(struct screen_state *s);

/* There is a device that shows no single squares: codes become small enough for it. */
void screen_codes_use_half_blocks(struct screen_state *s);

/*
 * Writes the short report of now, which the codes then show until the next call: a code must not
 * change while a person takes its picture.
 */
void screen_codes_renew_report(struct screen_state *s);
