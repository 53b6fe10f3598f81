// SPDX-License-Identifier: MIT
/*
 * The screen: a sink of events that keeps what it is told, paints its main page (screen_paint.h) or
 * another (screen_pages.h), and brings the views up to date. Faults, of which many come at once,
 * show with the next other event.
 */
#pragma once

#include "screen/grid.h"
#include "screen/screen_state.h"

#define SCREEN_VIEWS_MAX 3

struct screen {
    struct screen_state state;
    struct grid grid;
    struct grid_view view[SCREEN_VIEWS_MAX];
    size_t n_views;
};

/* 140 KiB: place it statically. report_place as in struct screen_state. */
void screen_init(struct screen *s, const char *report_place);

/* A device to show it on, from the next event on: at most SCREEN_VIEWS_MAX. See grid_view. */
void screen_add_view(struct screen *s, struct console_backend backend, unsigned budget);

/* The sink: ctx is a struct screen. */
void screen_receive(void *ctx, const struct event *e);

/*
 * On the main page: shows the next part of lines that do not fit. On another: shows the next page.
 * After the last the first again.
 */
void screen_next_part(struct screen *s);

/*
 * From the main page to the others, or back. The main page comes back on its own when the first
 * hole is found, when a person asks for a line, and at the end of the run.
 */
void screen_turn(struct screen *s);

/* Draws every cell again: a terminal may have been connected late. */
void screen_redraw(struct screen *s);
