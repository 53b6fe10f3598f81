// SPDX-License-Identifier: MIT
/* The loader's menu as lines of text. Pure. */
#pragma once

#include "menu_model.h"

/* The last cell of a screen of 80x25 is not written: it would scroll. */
#define MENU_VIEW_LINES   24
#define MENU_VIEW_COLUMNS 79

enum menu_look { MENU_LOOK_PLAIN, MENU_LOOK_TITLE, MENU_LOOK_CHOSEN, MENU_LOOK_NOTICE };

struct menu_line {
    char text[MENU_VIEW_COLUMNS + 1]; /* printable ASCII, filled up with blanks */
    enum menu_look look;
};

void menu_draw(const struct menu *menu, struct menu_line ret_line[MENU_VIEW_LINES]);
