// SPDX-License-Identifier: MIT
#include "console/vga_text.h"

#include "arch/io.h"

#define CRTC_INDEX         0x3d4
#define CRTC_DATA          0x3d5
#define CURSOR_START       0x0a
#define CURSOR_OFF         0x20
#define INPUT_STATUS_1     0x3da /* reading it makes the next write to 0x3c0 an index */
#define ATTRIBUTE_WRITE    0x3c0
#define ATTRIBUTE_READ     0x3c1
#define MODE_CONTROL       (0x10 | 0x20) /* index 0x10; 0x20 keeps the picture on */
#define MODE_CONTROL_BLINK 0x08          /* blinking */

void vga_text_init(void)
{
    uint8_t mode;

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
