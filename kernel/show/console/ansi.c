// SPDX-License-Identifier: MIT
#include "console/ansi.h"

/* A VGA colour's three bits are blue, green, red from the lowest; a terminal's red, green, blue. */
static unsigned terminal_colour(unsigned vga)
{
    return (vga & 1) << 2 | (vga & 2) | (vga & 4) >> 2;
}

static void set_colour(struct ansi *a, uint8_t colour)
{
    unsigned fore = colour & 15, back = colour >> 4;

    writer_print(&a->out, "\x1b[%u;%um", (fore & 8 ? 90 : 30) + terminal_colour(fore),
                 (back & 8 ? 100 : 40) + terminal_colour(back));
}

static void put_character(struct ansi *a, uint8_t code)
{
    char ascii[2] = { (char)code };

    switch (code) {
    case GLYPH_CUT:
        writer_text(&a->out, "\u00bb");
        break;
    case GLYPH_RULE:
        writer_text(&a->out, "\u2500");
        break;
    case GLYPH_FULL:
        writer_text(&a->out, "\u2588");
        break;
    case GLYPH_LOWER:
        writer_text(&a->out, "\u2584");
        break;
    case GLYPH_UPPER:
        writer_text(&a->out, "\u2580");
        break;
    case GLYPH_DOT:
        writer_text(&a->out, "\u00b7");
        break;
    case GLYPH_SQUARE:
        writer_text(&a->out, "\u25a0");
        break;
    default:
        writer_text(&a->out, code >= ' ' && code <= '~' ? ascii : "?");
        break;
    }
}

void ansi_init(struct ansi *a, struct writer out)
{
    *a = (struct ansi){ .out = out };
    writer_text(&a->out, "\x1b[0m\x1b[2J\x1b[?25l");
}

void ansi_leave(struct ansi *a)
{
    writer_text(&a->out, "\x1b[0m\x1b[2J\x1b[H\x1b[?25h");
    a->known = false;
}

static void draw(void *ctx, unsigned column, unsigned row, struct cell cell)
{
    struct ansi *a = ctx;

    if (cell.colour == SQUARES)
        cell = grid_half_blocks(cell);
    if (!a->known || a->row != row || a->column != column)
        writer_print(&a->out, "\x1b[%u;%uH", row + 1, column + 1);
    if (!a->known || a->colour != cell.colour)
        set_colour(a, cell.colour);
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
