// SPDX-License-Identifier: MIT
#include "screen/screen_big_letters.h"

#include "lib/minmax.h"
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

static unsigned width_of(const struct letters *font, const char *text, size_t n)
{
    unsigned width = 0;

    for (size_t i = 0; i < n; i++)
        width += text[i] == ' ' ? font->width / 2u : font->width;
    return width;
}

static size_t word_length(const char *text)
{
    size_t n = 0;

    while (text[n] && text[n] != ' ')
        n++;
    return n;
}

/* As many whole words as a line of these columns holds; at least one. */
static size_t line_length(const struct letters *font, const char *text, unsigned columns)
{
    size_t n = word_length(text);

    while (text[n]) {
        size_t next = n + 1 + word_length(text + n + 1);

        if (width_of(font, text, next) > columns)
            break;
        n = next;
    }
    return n;
}

/* After a line: where the next one begins. */
static const char *after_line(const char *text, size_t n)
{
    return text[n] ? text + n + 1 : text + n;
}

static struct word_size size_in(const struct letters *font, const char *text, unsigned columns)
{
    struct word_size size = { .letter_rows = font->height / PIXELS_A_ROW };
    unsigned lines = 0;

    for (size_t n; *text; text = after_line(text, n)) {
        n = line_length(font, text, columns);
        size.columns = (unsigned)max_u64(size.columns, width_of(font, text, n));
        lines++;
    }
    size.rows = lines * (size.letter_rows + 1) - 1;
    return size;
}

struct word_size screen_word_size(const char *text, unsigned columns, unsigned rows)
{
    struct word_size size = { 0 };

    for (size_t i = 0; i < sizeof(fonts) / sizeof(fonts[0]); i++) {
        size = size_in(&fonts[i], text, columns);
        if (size.columns <= columns && size.rows <= rows)
            return size;
    }
    size.is_cut = true;
    size.rows = size.letter_rows;
    return size.columns <= columns && size.rows <= rows ? size : (struct word_size){ 0 };
}

static const struct letters *font_of(struct word_size size)
{
    for (size_t i = 0; i < sizeof(fonts) / sizeof(fonts[0]); i++) {
        if (fonts[i].height / PIXELS_A_ROW == size.letter_rows)
            return &fonts[i];
    }
    panic("screen: no letters of %u rows", size.letter_rows);
}

static unsigned pixel(const struct letters *font, char letter, unsigned x, unsigned y)
{
    unsigned row_bytes = (font->width + 7u) / 8;
    const uint8_t *glyph = font->glyphs + (unsigned)(letter - 'A') * row_bytes * font->rows;

    return glyph[(font->top + y) * row_bytes + x / 8] >> (7 - x % 8) & 1;
}

static void paint_letter(struct grid *g, struct at at, const struct letters *font, char letter,
                         uint8_t colour)
{
    static const uint8_t glyph[] = { ' ', GLYPH_UPPER, GLYPH_LOWER, GLYPH_FULL };

    for (unsigned y = 0; y < font->height; y += PIXELS_A_ROW) {
        for (unsigned x = 0; x < font->width; x++) {
            unsigned upper = pixel(font, letter, x, y), lower = pixel(font, letter, x, y + 1);

            grid_fill(g, AREA(at.column + x, at.row + y / PIXELS_A_ROW, 1, 1),
                      CELL(glyph[upper | lower << 1], colour));
        }
    }
}

void screen_paint_word(struct grid *g, struct at at, const char *text, struct word_size size,
                       uint8_t colour)
{
    const struct letters *font = font_of(size);

    for (size_t n; *text; text = after_line(text, n)) {
        struct at letter = at;

        n = line_length(font, text, size.columns);
        if (size.is_cut && width_of(font, text, n) < size.columns)
            continue;
        for (size_t i = 0; i < n; letter.column += width_of(font, text + i++, 1)) {
            ASSERT((text[i] >= 'A' && text[i] <= 'Z') || text[i] == ' ');
            if (text[i] != ' ')
                paint_letter(g, letter, font, text[i], colour);
        }
        if (size.is_cut)
            return;
        at.row += size.letter_rows + 1;
    }
}
