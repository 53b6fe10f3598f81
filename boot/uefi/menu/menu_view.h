// SPDX-License-Identifier: MIT
/* The loader's menu as lines of text, for a screen of any size. Pure. */
#pragma once

#include "menu_model.h"

/* What the menu fits in, and the most there is room for. */
#define MENU_COLUMNS_MIN 79
#define MENU_ROWS_MIN    24
#define MENU_COLUMNS_MAX 144
#define MENU_ROWS_MAX    90

enum menu_look { MENU_LOOK_PLAIN, MENU_LOOK_TITLE, MENU_LOOK_CHOSEN, MENU_LOOK_NOTICE };

struct menu_line {
    char text[MENU_COLUMNS_MAX + 1]; /* printable ASCII, filled up with blanks */
    enum menu_look look;
};

struct menu_view {
    unsigned columns, rows; /* within the limits above */
    struct menu_line line[MENU_ROWS_MAX];
};

/* Draws all lines, in the size that the view has. */
void menu_draw(const struct menu *menu, struct menu_view *view);
