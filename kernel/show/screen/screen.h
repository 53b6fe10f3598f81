// SPDX-License-Identifier: MIT
/*
 * The screen: a sink of events that keeps what is worth showing, paints a page of it, and brings
 * the views up to date. Faults, which come in bursts, show with the next other event. A map
 * of the folder, in the order of what happens:
 *
 *   screen_state.h      what is kept of the events; screen_verdict says the result in words
 *   grid                characters, and views that draw them on a device
 *   screen_section      colours, headings, text: the pieces of pages; screen_big_letters, words
 *                       that are read from across the room
 *   screen_picture      all RAM; screen_modules, modules and temperatures; screen_bandwidth, each
 *                       node's speed and latency; screen_code, the QR code
 *   screen_details      the pages of key s, a list of sections. A new page is a row there
 *   screen_pages        the pages of keys b, c, h and s, and the row of keys
 *   screen_blocks       machine, errors, the line, warnings: blocks of
 *   screen_main         the main page, and of
 *   screen_result       the page of results
 *   screen              keeps events, and which page is shown
 *
 * Each calls only those above it.
 */
#pragma once

#include "display/grid.h"
#include "screen/screen_state.h"

#define SCREEN_VIEWS_MAX 3

/* A key that is to be pressed again: state.asked_key. */
struct screen_asked {
    uint64_t until_us, last_us;
    uint64_t again_us; /* on a terminal: when it was; 0: not yet */
    bool is_held;
};

struct screen {
    struct screen_state state;
    struct grid grid; /* of one view after the other */
    struct grid_view view[SCREEN_VIEWS_MAX];
    size_t n_views;
    bool key_heard;
    struct screen_asked asked;
    uint64_t turn_at_us;         /* by itself; 0: the end of the run was not noticed yet */
    uint64_t support_turn_at_us; /* the same for the pages of support=on */
};

/* 150 KiB: place it statically. report_place as in struct screen_state. */
void screen_init(struct screen *s, const char *report_place);

/* A device to show it on, from the next event on: at most SCREEN_VIEWS_MAX. See grid_view. */
void screen_add_view(struct screen *s, struct console_backend backend, unsigned budget);

/* The sink: ctx is a struct screen. */
void screen_receive(void *ctx, const struct event *e);

/*
 * On the main page and on that of results: shows the next part of lines that do not fit; at the end
 * these two follow each other. On another: shows the next page. After the last the first again.
 */
void screen_next_part(struct screen *s);

/*
 * To the pages of a key or, from there, back to the main page (at the end: to the page of results),
 * which returns by itself when the first fault is found, when the user asks for a line, and at the
 * end of the run. Stays where there are none.
 */
void screen_turn(struct screen *s, enum screen_pages kind);

enum key_from {
    KEY_FROM_KEYBOARD, /* a key that is held comes once */
    KEY_FROM_TERMINAL, /* it comes again and again, and nothing says when it is let go */
    KEY_FROM_PROGRAM,  /* perhaps: nobody to be asked */
};

/*
 * For each key, and for KEY_NONE often. Returns the key to act on now, or KEY_NONE: one that ends
 * something has to be pressed twice in 5 seconds, and the screen says so. On a terminal the second
 * press counts after 0.3 seconds in which no third comes.
 */
int screen_confirm(struct screen *s, int key, enum key_from from, uint64_t now_us);

/*
 * A key was pressed, whatever it means: the pages never turn by themselves again, and keys are
 * offered.
 */
void screen_key_pressed(struct screen *s);

/*
 * To be called often. With support=on those pages are shown first, each for 10 seconds. At the end,
 * when no key was heard before, pages turn by themselves every 10 seconds, if that of results has
 * no room for the whole badram line and the QR code: its parts, the main page, the code.
 */
void screen_tick(struct screen *s, uint64_t now_us);

/* Draws every cell again: a terminal may have been connected late. */
void screen_redraw(struct screen *s);
