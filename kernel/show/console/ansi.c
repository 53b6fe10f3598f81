// SPDX-License-Identifier: MIT
#include "console/ansi.h"

/* A VGA colour's three bits are blue, green, red from the lowest; a terminal's red, green, blue. */
static unsigned terminal_colour(unsigned vga)
{
    return (vga & 1) << 2 | (vga & 2) | (vga & 4) >> 2;
}

static void put_character(struct ansi *a, uint8_t code)
{
    static const char *const glyphs[] = {
        [GLYPH_CUT] = "\u00bb",    [GLYPH_RULE] = "\u2500",  [GLYPH_FULL] = "\u2588",
        [GLYPH_LOWER] = "\u2584",  [GLYPH_UPPER] = "\u2580", [GLYPH_DOT] = "\u00b7",
        [GLYPH_SQUARE] = "\u25a0",
    };
    char ascii[2] = { (char)code };

    if (code < sizeof(glyphs) / sizeof(glyphs[0]) && glyphs[code])
        fmt_write(a->out, glyphs[code]);
    else
        fmt_write(a->out, code >= ' ' && code <= '~' ? ascii : "?");
}

void ansi_init(struct ansi *a, struct writer out)
{
    *a = (struct ansi){ .out = out };
    fmt_write(a->out, "\x1b[0m\x1b[2J\x1b[?25l");
}

void ansi_leave(struct ansi *a)
{
    fmt_write(a->out, "\x1b[0m\x1b[2J\x1b[H\x1b[?25h");
    a->known = false;
}

static void draw(void *ctx, unsigned column, unsigned row, struct cell cell)
{
    struct ansi *a = ctx;
    char codes[32];
    struct fmt_buffer b = fmt_buffer_make(codes, sizeof(codes));
    unsigned fore, back;

    if (cell.colour == SQUARES)
        cell = grid_half_blocks(cell);
    fore = cell.colour & 15;
    back = cell.colour >> 4;
    if (!a->known || a->row != row || a->column != column)
        fmt_append(&b, "\x1b[%u;%uH", row + 1, column + 1);
    if (!a->known || a->colour != cell.colour)
        fmt_append(&b, "\x1b[%u;%um", (fore & 8 ? 90 : 30) + terminal_colour(fore),
                   (back & 8 ? 100 : 40) + terminal_colour(back));
    fmt_write(a->out, codes);
    put_character(a, cell.code);
    a->row = row;
    a->column = column + 1;
    a->colour = cell.colour;
    /* After the last column a terminal may have wrapped or be about to. */
    a->known = column + 1 < ANSI_COLUMNS;
}

struct console_backend ansi_backend(struct ansi *a)
{
    return (struct console_backend){
        .draw = draw, .ctx = a, .columns = ANSI_COLUMNS, .rows = ANSI_ROWS
    };
}
