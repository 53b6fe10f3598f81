// SPDX-License-Identifier: MIT
/*
 * What the menu is shown on: the screen's pixels, in the cells of the kernel's screens, and the
 * consoles on serial ports. Firmware's own text is 8x19 pixels whatever the screen is: it is used
 * where there are no pixels.
 */
#pragma once

#include <efi.h>

#include "display/framebuffer.h"
#include "menu_view.h"

#define MENU_TEXTS_MAX 4

/* Only lines that change are written, because some firmware is slow at that. */
struct menu_text_screen {
    SIMPLE_TEXT_OUTPUT_INTERFACE *out;
    UINTN columns, rows;
    struct menu_line line[MENU_ROWS_MIN];
};

struct menu_pixels {
    EFI_GRAPHICS_OUTPUT_PROTOCOL *gop; /* NULL: there are none */
    EFI_PHYSICAL_ADDRESS picture;      /* in memory: firmware copies what changes to the screen */
    UINTN pages;
    struct framebuffer framebuffer; /* of the picture */
    struct console_backend cells;   /* of that */
    struct grid grid;
    struct grid_view view;
    unsigned first, end; /* rows of cells that have changed */
};

struct menu_screens {
    struct menu_pixels pixels;
    unsigned n_texts;
    struct menu_text_screen text[MENU_TEXTS_MAX];
};

/* Clears the screens. False: there is none. */
bool menu_screens_open(struct menu_screens *screens, enum framebuffer_turn turn);

void menu_screens_show(struct menu_screens *screens, const struct menu *menu);

/* Clears them, and gives back memory. */
void menu_screens_close(struct menu_screens *screens);
