// SPDX-License-Identifier: MIT
#include "screen/screen_big_letters.h"

#include "lib/panic.h"

#define ACROSS 4 /* units of the widest letter; one more is between letters */

static const struct letter {
    char letter;
    uint8_t units; /* across */
    uint8_t row[WORD_UNITS_DOWN];
} letters[] = {
    { 'A', 4, { 0x6, 0x9, 0xf, 0x9, 0x9 } }, { 'C', 4, { 0x7, 0x8, 0x8, 0x8, 0x7 } },
    { 'D', 4, { 0xe, 0x9, 0x9, 0x9, 0xe } }, { 'E', 4, { 0xf, 0x8, 0xe, 0x8, 0xf } },
    { 'F', 4, { 0xf, 0x8, 0xe, 0x8, 0x8 } }, { 'I', 3, { 0xe, 0x4, 0x4, 0x4, 0xe } },
    { 'L', 4, { 0x8, 0x8, 0x8, 0x8, 0xf } }, { 'O', 4, { 0x6, 0x9, 0x9, 0x9, 0x6 } },
    { 'P', 4, { 0xe, 0x9, 0xe, 0x8, 0x8 } }, { 'R', 4, { 0xe, 0x9, 0xe, 0xa, 0x9 } },
    { 'S', 4, { 0x7, 0x8, 0x6, 0x1, 0xe } }, { 'T', 3, { 0xe, 0x4, 0x4, 0x4, 0x4 } },
};

static const struct letter *find(char c)
{
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
        if (letters[i].letter == c)
            return &letters[i];
    }
    panic("screen: no letter %c", c);
}

unsigned screen_word_units(const char *word)
{
    unsigned units = 0;

    for (; *word; word++)
        units += find(*word)->units + (word[1] ? 1 : 0);
    return units;
}

void screen_paint_word(struct grid *g, unsigned column, unsigned row, const char *word,
                       unsigned unit_columns, unsigned unit_rows, uint8_t colour)
{
    for (; *word; word++) {
        const struct letter *l = find(*word);

        for (unsigned y = 0; y < WORD_UNITS_DOWN; y++)
            for (unsigned x = 0; x < l->units; x++)
                if (l->row[y] >> (ACROSS - 1 - x) & 1)
                    grid_fill(g, column + x * unit_columns, row + y * unit_rows, unit_columns,
                              unit_rows, ' ', colour);
        column += (l->units + 1) * unit_columns;
    }
}
