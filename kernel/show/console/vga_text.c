// SPDX-License-Identifier: MIT
#include "console/vga_text.h"

#include "io/ports.h"
#include "screen/grid.h"

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

static void draw(void *ctx, unsigned column, unsigned row, struct cell cell)
{
    volatile uint16_t *screen = ctx;

    if (cell.colour == SQUARES)
        cell = grid_half_blocks(cell);
    screen[row * VGA_TEXT_COLUMNS + column] = (uint16_t)(cell.colour << 8 | cell.code);
}

struct console_backend vga_text_backend(void *base)
{
    return (struct console_backend){
        .draw = draw, .ctx = base, .columns = VGA_TEXT_COLUMNS, .rows = VGA_TEXT_ROWS
    };
}
