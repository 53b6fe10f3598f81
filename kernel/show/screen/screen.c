// SPDX-License-Identifier: MIT
#include "screen/screen.h"

#include "lib/keys.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "screen/screen_code.h"
#include "screen/screen_main.h"
#include "screen/screen_pages.h"
#include "screen/screen_result.h"

#define TURN_EVERY_US 10000000
#define ASKED_US      5000000 /* for which a key may be pressed again */
#define PAUSE_US      300000  /* longer than terminals wait between two times of a held key */

/* Of the badram line, on the grid of the view that has most. */
static size_t most_parts(struct screen *s, enum screen_pages page)
{
    struct screen_state *state = &s->state;
    size_t most = 1;

    for (size_t i = 0; i < s->n_views; i++) {
        const struct console_backend *b = &s->view[i].backend;

        most = max_u64(most, page == SCREEN_RESULT ? screen_result_parts(state, b)
                                                   : screen_main_parts(state, b));
    }
    return most;
}

/* The space key shows the parts of the page of results, then those of the main one. */
static void count_pages(struct screen *s)
{
    struct screen_state *state = &s->state;
    size_t before = 0;

    state->badram_parts = most_parts(s, state->shown);
    state->badram_part %= state->badram_parts; /* it may have become shorter */
    if (state->has_result && state->shown == SCREEN_MAIN)
        before = most_parts(s, SCREEN_RESULT);
    state->page = before + state->badram_part + 1;
    state->n_pages = before + state->badram_parts;
    if (state->has_result && state->shown == SCREEN_RESULT)
        state->n_pages += most_parts(s, SCREEN_MAIN);
}

static void paint(struct screen *s)
{
    switch (s->state.shown) {
    case SCREEN_MAIN: screen_main_paint(&s->state, &s->grid); break;
    case SCREEN_RESULT: screen_result_paint(&s->state, &s->grid); break;
    default: screen_pages_paint(&s->state, &s->grid);
    }
}

static void show(struct screen *s, bool all)
{
    if (s->state.shown < SCREEN_FIRST_OF_KEY)
        count_pages(s);
    for (size_t i = 0; i < s->n_views; i++) {
        struct console_backend *b = &s->view[i].backend;

        grid_resize(&s->grid, b->columns, b->rows);
        s->grid.has_quarters = b->has_squares;
        paint(s);
        grid_refresh(&s->grid, &s->view[i], all);
    }
}

void screen_init(struct screen *s, const char *report_place)
{
    screen_state_init(&s->state, report_place);
    s->n_views = 0;
    s->key_heard = false;
    s->asked = (struct screen_asked){ 0 };
    s->turn_at_us = s->support_turn_at_us = 0;
}

void screen_add_view(struct screen *s, struct console_backend backend, unsigned budget)
{
    ASSERT(s->n_views < SCREEN_VIEWS_MAX);
    if (!s->n_views || backend.rows < s->state.rows_min)
        s->state.rows_min = backend.rows;
    grid_view_init(&s->view[s->n_views++], backend, budget);
    s->state.code.half_blocks |= !backend.has_squares;
}

void screen_receive(void *ctx, const struct event *e)
{
    struct screen *s = ctx;

    screen_state_receive(&s->state, e);
    if (e->type == EVENT_RESULT)
        screen_code_renew_report(&s->state);
    if (e->type == EVENT_SUPPORT && e->support.asked && !s->key_heard) {
        screen_pages_turn(&s->state, SCREEN_DETAILS);
        s->state.turns_itself = true;
    }
    if (e->type != EVENT_FAULT)
        show(s, e->type == EVENT_RESULT || e->type == EVENT_REPORT_SAVED || e->type == EVENT_STICK);
}

void screen_next_part(struct screen *s)
{
    struct screen_state *state = &s->state;

    if (state->shown >= SCREEN_FIRST_OF_KEY) {
        screen_pages_next(state);
    } else if (state->badram_part + 1 < state->badram_parts) {
        state->badram_part++;
    } else {
        state->badram_part = 0;
        if (state->has_result)
            state->shown = state->shown == SCREEN_RESULT ? SCREEN_MAIN : SCREEN_RESULT;
    }
    show(s, true);
}

void screen_turn(struct screen *s, enum screen_pages kind)
{
    screen_pages_turn(&s->state, kind);
    show(s, true);
}

static bool has_code_on_all(struct screen *s)
{
    for (size_t i = 0; i < s->n_views; i++) {
        if (!screen_result_has_code(&s->state, &s->view[i].backend))
            return false;
    }
    return true;
}

static void turn_by_itself(struct screen *s)
{
    struct screen_state *state = &s->state;

    if (state->shown == SCREEN_RESULT) {
        screen_next_part(s);
        return;
    }
    if (state->shown == SCREEN_MAIN && !has_code_on_all(s)) {
        screen_pages_turn(state, SCREEN_CODE);
    } else {
        state->badram_part = 0;
        state->shown = SCREEN_RESULT;
    }
    show(s, true);
}

/* Whether it ends something now. */
static bool asks_twice(const struct screen_state *state, int key)
{
    return (key == 'q' && !state->has_result) || (key == 'x' && state->has_result) ||
           (key == 'n' && !state->has_result && strcmp(state->phase, "test") == 0);
}

/* 0: about no key. */
static void ask(struct screen *s, int key, uint64_t now_us)
{
    bool changes = s->state.asked_key != key;

    s->state.asked_key = key;
    s->asked = (struct screen_asked){ .until_us = now_us + ASKED_US, .last_us = now_us };
    if (changes)
        show(s, true);
}

/* A key that is held comes sooner after its second time than a person presses again. */
static void press_on_terminal(struct screen_asked *a, uint64_t now_us)
{
    a->is_held = (a->again_us || a->is_held) && now_us < a->last_us + PAUSE_US;
    a->again_us = a->is_held ? 0 : now_us;
    a->last_us = now_us;
    a->until_us = now_us + ASKED_US;
}

int screen_confirm(struct screen *s, int key, enum key_from from, uint64_t now_us)
{
    const int asked = s->state.asked_key;
    const bool waits = asked && now_us < s->asked.until_us && asks_twice(&s->state, asked);

    if (waits && key == asked && from == KEY_FROM_TERMINAL) {
        press_on_terminal(&s->asked, now_us);
        return KEY_NONE;
    }
    if (waits && key == KEY_NONE && s->asked.again_us && now_us >= s->asked.again_us + PAUSE_US)
        key = asked;
    else if (key == KEY_NONE && waits)
        return KEY_NONE;
    else if (from != KEY_FROM_PROGRAM && asks_twice(&s->state, key) && !(waits && key == asked)) {
        ask(s, key, now_us);
        return KEY_NONE;
    }
    if (asked)
        ask(s, 0, now_us);
    return key;
}

void screen_key_pressed(struct screen *s)
{
    bool changes = s->state.turns_itself || s->state.is_without_keys;

    s->key_heard = true;
    s->state.turns_itself = s->state.is_without_keys = false;
    if (changes)
        show(s, true);
}

static void support_tick(struct screen *s, uint64_t now_us)
{
    struct screen_state *state = &s->state;

    if (state->shown != SCREEN_DETAILS || !state->turns_itself || now_us < s->support_turn_at_us)
        return;
    if (s->support_turn_at_us) {
        screen_pages_next(state);
        if (!state->details_page) { /* all were shown */
            state->shown = screen_home(state);
            state->turns_itself = false;
        }
        show(s, true);
    }
    s->support_turn_at_us = now_us + TURN_EVERY_US;
}

void screen_tick(struct screen *s, uint64_t now_us)
{
    struct screen_state *state = &s->state;

    support_tick(s, now_us);
    if (s->key_heard || !state->has_result || now_us < s->turn_at_us)
        return;
    if (s->turn_at_us && state->turns_itself)
        turn_by_itself(s);
    if (!s->turn_at_us && state->badram.line[0] &&
        (state->badram_parts > 1 || !has_code_on_all(s))) {
        state->turns_itself = true;
        show(s, true);
    }
    s->turn_at_us = now_us + TURN_EVERY_US;
}

void screen_redraw(struct screen *s)
{
    for (size_t i = 0; i < s->n_views; i++)
        grid_view_forget(&s->view[i]);
    show(s, true);
}
