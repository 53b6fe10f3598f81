// SPDX-License-Identifier: MIT
/*
 * Words in large letters, to be read from across the room: those of a bold console font, each cell
 * two of its pixels, one above the other. On screens, whose cells are about twice as high as wide,
 * the letters then look as they were drawn.
 */
#pragma once

#include "screen/grid.h"

struct word_size {
    unsigned columns, rows; /* rows 0: the word does not fit */
};

/*
 * The size of a word of the letters A to Z in the largest font with which it takes at most these
 * columns and rows. 5 rows are enough for the smallest font, and 8 columns for each letter.
 */
struct word_size screen_word_size(const char *word, unsigned columns, unsigned rows);

/* Paints it in that size; foreground and background are those of colour. */
void screen_paint_word(struct grid *g, unsigned column, unsigned row, const char *word,
                       struct word_size size, uint8_t colour);
