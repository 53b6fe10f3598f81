// SPDX-License-Identifier: MIT
/*
 * The grid on screens of characters: the VGA text screen, 80x25 as the BIOS leaves it, at physical
 * 0xb8000; and a terminal at the serial port, by ECMA-48 cursor positioning and colours, characters
 * in UTF-8. A terminal gets as few bytes as it takes: neighbouring cells of one colour cost a byte
 * each.
 */
#pragma once

#include <stdbool.h>

#include "lib/fmt.h"
#include "display/grid.h"

#define VGA_TEXT_PHYS    UINT64_C(0xb8000)
#define VGA_TEXT_COLUMNS 80
#define VGA_TEXT_ROWS    25

/* Loads the palette, hides the cursor, and makes bit 7 of a colour a bright background instead of
 * blinking. */
void vga_text_init(void);

/* base is where VGA_TEXT_PHYS is mapped. */
struct console_backend vga_text_backend(void *base);

/* A terminal is taken as one of this size: a larger one has empty rows and columns. */
#define ANSI_COLUMNS GRID_COLUMNS_MIN
#define ANSI_ROWS    GRID_ROWS_MIN

struct ansi {
    struct writer out;
    unsigned column, row; /* the terminal's cursor */
    uint8_t colour;
    bool known; /* whether these three are */
};

/* Clears the terminal and hides its cursor. */
void ansi_init(struct ansi *a, struct writer out);

/* Gives the terminal back: plain colours, cursor on, on an empty screen. */
void ansi_leave(struct ansi *a);

struct console_backend ansi_backend(struct ansi *a);
