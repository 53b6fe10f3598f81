// SPDX-License-Identifier: MIT
/* The grid on the VGA text screen, 80x25 as the BIOS leaves it, at physical 0xb8000. */
#pragma once

#include "screen/grid.h"

#define VGA_TEXT_PHYS UINT64_C(0xb8000)

/* Hides the cursor, and makes bit 7 of a colour a bright background instead of blinking. */
void vga_text_init(void);

/* ctx is where VGA_TEXT_PHYS is mapped. */
void vga_text_draw(void *ctx, unsigned column, unsigned row, struct cell cell);
