// SPDX-License-Identifier: MIT
/* A screen that tests play scenes to, and what a device then shows, row by row. */
#pragma once

#include "screen/scenes.h"
#include "screen/screen.h"
#include "tests/unit/unit.h"

/* A text screen, unless start_on says otherwise. */
#define SHOWN_COLUMNS 80
#define SHOWN_ROWS    25

static struct screen screen;
static struct grid shown; /* what a device shows that saw only the draws */

static inline void draw(void *ctx, unsigned column, unsigned row, struct cell cell)
{
    *grid_at(&shown, column, row) = cell;
}

static inline struct console_backend shown_of(unsigned columns, unsigned rows, bool has_squares)
{
    return (struct console_backend){
        .draw = draw, .columns = columns, .rows = rows, .has_squares = has_squares
    };
}

static inline void start_on(struct console_backend backend)
{
    memset(&shown, 0, sizeof(shown));
    grid_resize(&shown, backend.columns, backend.rows);
    screen_init(&screen, "on the serial port");
    screen_add_view(&screen, backend, 0);
}

#define SEND(...) screen_receive(&screen, &(struct event){ __VA_ARGS__ })

static inline void send(struct event e)
{
    screen_receive(&screen, &e);
}

static inline int start(void **state)
{
    start_on(shown_of(SHOWN_COLUMNS, SHOWN_ROWS, false));
    return 0;
}

static inline void play_on(struct console_backend backend, const char *name)
{
    start_on(backend);
    scene_play(scene_find(name), (struct event_sink){ screen_receive, &screen });
}

static inline void play(const char *name)
{
    play_on(shown_of(SHOWN_COLUMNS, SHOWN_ROWS, false), name);
}

static inline const char *row_text(unsigned row)
{
    static char text[GRID_COLUMNS_MAX + 1];
    unsigned n = 0;

    for (unsigned i = 0; i < shown.columns; i++) {
        const struct cell *cell = grid_at(&shown, i, row);

        if (cell->quarter <= QUARTER_LEFT_UPPER) /* of a large character one quarter */
            text[n++] = cell->colour == SQUARES ? ' ' : (char)cell->code;
    }
    while (n && text[n - 1] == ' ')
        n--;
    text[n] = 0;
    return text;
}

/* The row that holds text, or -1. */
static inline int find(const char *text)
{
    for (unsigned row = 0; row < shown.rows; row++) {
        if (strstr(row_text(row), text))
            return (int)row;
    }
    return -1;
}

static inline void assert_shows(const char *text)
{
    if (find(text) < 0) {
        for (unsigned row = 0; row < shown.rows; row++)
            print_message("|%s\n", row_text(row));
        fail_msg("not on the screen: %s", text);
    }
}

/* Wherever the rows break. */
static inline bool says_wrapped(const char *words)
{
    static char all[GRID_COLUMNS_MAX * 200];
    size_t n = 0;

    for (unsigned row = 0; row < shown.rows; row++) {
        for (const char *c = row_text(row); *c; c++) {
            if (n && *c == ' ' && all[n - 1] == ' ')
                continue;
            all[n++] = *c;
        }
        if (n && all[n - 1] != ' ')
            all[n++] = ' ';
    }
    all[n] = 0;
    return strstr(all, words) != NULL;
}
