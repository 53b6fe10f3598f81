// SPDX-License-Identifier: MIT
#include "screen/screen_big_letters.h"

#include "lib/panic.h"
#include "lib/string.h"

#define PIXELS_A_ROW 2 /* of a font, in a row of cells */

/* big_letters_data.asm: 26 glyphs each. */
extern const uint8_t big_letters_16[], big_letters_20[], big_letters_24[], big_letters_32[];

/* The largest first. Capitals have the pixel rows top to top + height - 1. */
static const struct letters {
    const uint8_t *glyphs;
    uint8_t width, rows, top, height; /* of a glyph, in pixels */
} fonts[] = {
    { big_letters_32, 16, 32, 6, 20 },
    { big_letters_24, 12, 24, 4, 16 },
    { big_letters_20, 10, 20, 3, 14 },
    { big_letters_16, 8, 16, 2, 10 },
};

static struct word_size size_in(const struct letters *font, const char *word)
{
    return (struct word_size){ (unsigned)strlen(word) * font->width, font->height / PIXELS_A_ROW };
}

struct word_size screen_word_size(const char *word, unsigned columns, unsigned rows)
{
    for (size_t i = 0; i < sizeof(fonts) / sizeof(fonts[0]); i++) {
        struct word_size size = size_in(&fonts[i], word);

        if (size.columns <= columns && size.rows <= rows)
            return size;
    }
    return (struct word_size){ 0 };
}

static const struct letters *font_of(struct word_size size)
{
    for (size_t i = 0; i < sizeof(fonts) / sizeof(fonts[0]); i++) {
        if (fonts[i].height / PIXELS_A_ROW == size.rows)
            return &fonts[i];
    }
    panic("screen: no letters of %u rows", size.rows);
}

static unsigned pixel(const struct letters *font, char letter, unsigned x, unsigned y)
{
    unsigned row_bytes = (font->width + 7u) / 8;
    const uint8_t *glyph = font->glyphs + (unsigned)(letter - 'A') * row_bytes * font->rows;

    return glyph[(font->top + y) * row_bytes + x / 8] >> (7 - x % 8) & 1;
}

static void paint_letter(struct grid *g, unsigned column, unsigned row, const struct letters *font,
                         char letter, uint8_t colour)
{
    static const uint8_t glyph[] = { ' ', GLYPH_UPPER, GLYPH_LOWER, GLYPH_FULL };

    for (unsigned y = 0; y < font->height; y += PIXELS_A_ROW) {
        for (unsigned x = 0; x < font->width; x++) {
            unsigned upper = pixel(font, letter, x, y), lower = pixel(font, letter, x, y + 1);

            grid_fill(g, column + x, row + y / PIXELS_A_ROW, 1, 1, glyph[upper | lower << 1],
                      colour);
        }
    }
}

void screen_paint_word(struct grid *g, unsigned column, unsigned row, const char *word,
                       struct word_size size, uint8_t colour)
{
    const struct letters *font = font_of(size);

    for (; *word; word++, column += font->width) {
        ASSERT(*word >= 'A' && *word <= 'Z');
        paint_letter(g, column, row, font, *word, colour);
    }
}
