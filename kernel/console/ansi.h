// SPDX-License-Identifier: MIT
/*
 * The grid on a terminal at the serial port: ECMA-48 cursor positioning and colours, characters in
 * UTF-8. As few bytes as it takes: neighbouring cells of one colour cost a byte each.
 */
#pragma once

#include <stdbool.h>

#include "report/writer.h"
#include "screen/grid.h"

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

/* ctx is a struct ansi. */
void ansi_draw(void *ctx, unsigned column, unsigned row, struct cell cell);
