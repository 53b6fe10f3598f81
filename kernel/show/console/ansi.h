// SPDX-License-Identifier: MIT
/*
 * The grid on a terminal at the serial port: ECMA-48 cursor positioning and colours, characters in
 * UTF-8. As few bytes as it takes: neighbouring cells of one colour cost a byte each.
 */
#pragma once

#include <stdbool.h>

#include "lib/fmt.h"
#include "screen/grid.h"

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
