// SPDX-License-Identifier: MIT
/* A screen that tests play scenes to, and what a device then shows, row by row. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "screen/scenes.h"
#include "screen/screen.h"

static struct screen screen;
static struct grid shown; /* what a device shows that saw only the draws */

static inline void draw(void *ctx, unsigned column, unsigned row, struct cell cell)
{
    shown.cell[row][column] = cell;
}

static inline int start(void **state)
{
    memset(&shown, 0, sizeof(shown));
    screen_init(&screen, "on the serial port");
    screen_add_view(&screen, (struct console_backend){ .draw = draw }, 0);
    return 0;
}

static inline void play(const char *name)
{
    start(NULL);
    scene_play(scene_find(name), (struct event_sink){ screen_receive, &screen });
}

static inline const char *row_text(unsigned row)
{
    static char text[GRID_COLUMNS + 1];
    unsigned n = GRID_COLUMNS;

    for (unsigned i = 0; i < GRID_COLUMNS; i++)
        text[i] = shown.cell[row][i].colour == SQUARES ? ' ' : (char)shown.cell[row][i].code;
    while (n && text[n - 1] == ' ')
        n--;
    text[n] = 0;
    return text;
}

/* The row that holds text, or -1. */
static inline int find(const char *text)
{
    for (unsigned row = 0; row < GRID_ROWS; row++) {
        if (strstr(row_text(row), text))
            return (int)row;
    }
    return -1;
}

static inline void assert_shows(const char *text)
{
    if (find(text) < 0) {
        for (unsigned row = 0; row < GRID_ROWS; row++)
            print_message("|%s\n", row_text(row));
        fail_msg("not on the screen: %s", text);
    }
}
