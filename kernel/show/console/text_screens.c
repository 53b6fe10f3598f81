// SPDX-License-Identifier: MIT
#include "console/text_screens.h"

#include "io/ports.h"

#define CRTC_INDEX         0x3d4
#define CRTC_DATA          0x3d5
#define CURSOR_START       0x0a
#define CURSOR_OFF         0x20
#define INPUT_STATUS_1     0x3da /* reading it makes the next write to 0x3c0 an index */
#define ATTRIBUTE_WRITE    0x3c0
#define ATTRIBUTE_READ     0x3c1
#define DAC_WRITE_INDEX    0x3c8
#define DAC_DATA           0x3c9
#define MODE_CONTROL       (0x10 | 0x20) /* index 0x10; 0x20 keeps the picture on */
#define MODE_CONTROL_BLINK 0x08          /* blinking */

/* Where text modes have colour i in the DAC (IBM VGA, attribute controller's palette registers). */
static uint8_t dac_index(uint8_t colour)
{
    return colour == BROWN ? 0x14 : colour < 8 ? colour : 0x30 + colour;
}

static void load_palette(void)
{
    for (uint8_t i = 0; i < 16; i++) {
        io_out8(DAC_WRITE_INDEX, dac_index(i));
        for (int channel = 0; channel < 3; channel++)
            io_out8(DAC_DATA, palette_rgb[i][channel] >> 2); /* it has six bits */
    }
}

void vga_text_init(void)
{
    uint8_t mode;

    load_palette();
    io_out8(CRTC_INDEX, CURSOR_START);
    io_out8(CRTC_DATA, CURSOR_OFF);

    io_in8(INPUT_STATUS_1);
    io_out8(ATTRIBUTE_WRITE, MODE_CONTROL);
    mode = io_in8(ATTRIBUTE_READ);
    io_out8(ATTRIBUTE_WRITE, mode & (uint8_t)~MODE_CONTROL_BLINK);
    io_in8(INPUT_STATUS_1);
}

static void draw_vga(void *ctx, unsigned column, unsigned row, struct cell cell)
{
    volatile uint16_t *screen = ctx;

    if (cell.colour == SQUARES)
        cell = grid_half_blocks(cell);
    screen[row * VGA_TEXT_COLUMNS + column] = (uint16_t)(cell.colour << 8 | cell.code);
}

struct console_backend vga_text_backend(void *base)
{
    return (struct console_backend){
        .draw = draw_vga, .ctx = base, .columns = VGA_TEXT_COLUMNS, .rows = VGA_TEXT_ROWS
    };
}

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

static void draw_ansi(void *ctx, unsigned column, unsigned row, struct cell cell)
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
        .draw = draw_ansi, .ctx = a, .columns = ANSI_COLUMNS, .rows = ANSI_ROWS
    };
}
