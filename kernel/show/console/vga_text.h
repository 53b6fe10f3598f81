// SPDX-License-Identifier: MIT
/* The grid on the VGA text screen, 80x25 as the BIOS leaves it, at physical 0xb8000. */
#pragma once

#include "screen/grid.h"

#define VGA_TEXT_PHYS    UINT64_C(0xb8000)
#define VGA_TEXT_COLUMNS 80
#define VGA_TEXT_ROWS    25

/* Loads the palette, hides the cursor, and makes bit 7 of a colour a bright background instead of
 * blinking. */
void vga_text_init(void);

/* base is where VGA_TEXT_PHYS is mapped. */
struct console_backend vga_text_backend(void *base);
