// SPDX-License-Identifier: MIT
/*
 * Words in large letters, to be read from across the room: those of a bold console font, each cell
 * two of its pixels, one above the other. On screens, whose cells are about twice as high as wide,
 * the letters then look as they were drawn.
 */
#pragma once

#include <stdbool.h>

#include "display/grid.h"

struct word_size {
    unsigned columns, rows; /* rows 0: not even one line fits */
    unsigned letter_rows;
    bool is_cut; /* the longest of its lines is all that there is room for */
};

/*
 * The size of words of the letters A to Z, on as many lines as they take, in the largest font with
 * which that is at most these columns and rows. 5 rows are enough for a line in the smallest font,
 * and 8 columns for each letter. Where that has no room, one line in it.
 */
struct word_size screen_word_size(const char *text, unsigned columns, unsigned rows);

/* Paints them in that size; foreground and background are those of colour. */
void screen_paint_word(struct grid *g, struct at at, const char *text, struct word_size size,
                       uint8_t colour);
