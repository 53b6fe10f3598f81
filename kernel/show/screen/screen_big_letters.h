// SPDX-License-Identifier: MIT
/* Words in letters that are made of cells: to be read from across the room. */
#pragma once

#include "screen/grid.h"

#define WORD_UNITS_DOWN 5 /* units a letter is high */

/* Units across of a word, of the letters A D E F I L O P R S T. */
unsigned screen_word_units(const char *word);

/* Fills a letter's units, each of unit_columns x unit_rows cells, with that background. */
void screen_paint_word(struct grid *g, unsigned column, unsigned row, const char *word,
                       unsigned unit_columns, unsigned unit_rows, uint8_t colour);
