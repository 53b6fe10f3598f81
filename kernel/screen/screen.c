// SPDX-License-Identifier: MIT
#include "screen/screen.h"

#include "lib/minmax.h"
#include "lib/panic.h"
#include "screen/screen_codes.h"
#include "screen/screen_pages.h"
#include "screen/screen_paint.h"
#include "screen/screen_result.h"

/* Of the badram line, on the grid of the view that has most. */
static size_t most_parts(struct screen *s)
{
    struct screen_state *state = &s->state;
    size_t most = 1;

    for (size_t i = 0; i < s->n_views; i++) {
        const struct console_backend *b = &s->view[i].backend;

        most = max_u64(most, state->shown == SCREEN_RESULT
                                 ? screen_result_parts(state, b->columns, b->rows)
                                 : screen_badram_parts(state, b->rows));
    }
    return most;
}

static void paint(struct screen *s)
{
    switch (s->state.shown) {
    case SCREEN_MAIN:
        screen_paint(&s->state, &s->grid);
        break;
    case SCREEN_RESULT:
        screen_result_paint(&s->state, &s->grid);
        break;
    default:
        screen_pages_paint(&s->state, &s->grid);
    }
}

static void show(struct screen *s, bool all)
{
    if (s->state.shown < SCREEN_FIRST_KIND) {
        s->state.badram_parts = most_parts(s);
        s->state.badram_part %= s->state.badram_parts; /* it may have become shorter */
    }
    for (size_t i = 0; i < s->n_views; i++) {
        struct console_backend *b = &s->view[i].backend;

        grid_resize(&s->grid, b->columns, b->rows);
        paint(s);
        grid_refresh(&s->grid, &s->view[i], all);
    }
}

void screen_init(struct screen *s, const char *report_place)
{
    screen_state_init(&s->state, report_place);
    s->n_views = 0;
    screen_codes_begin(&s->state);
}

void screen_add_view(struct screen *s, struct console_backend backend, unsigned budget)
{
    ASSERT(s->n_views < SCREEN_VIEWS_MAX);
    if (!s->n_views || backend.rows < s->state.rows_min)
        s->state.rows_min = backend.rows;
    grid_view_init(&s->view[s->n_views++], backend, budget);
    if (!backend.has_squares)
        screen_codes_use_half_blocks(&s->state);
}

void screen_receive(void *ctx, const struct event *e)
{
    struct screen *s = ctx;

    screen_state_receive(&s->state, e);
    if (e->type == EVENT_RESULT)
        screen_codes_renew_report(&s->state);
    if (e->type != EVENT_FAULT)
        show(s, e->type == EVENT_RESULT);
}

void screen_next_part(struct screen *s)
{
    struct screen_state *state = &s->state;

    if (state->shown >= SCREEN_FIRST_KIND) {
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

void screen_redraw(struct screen *s)
{
    for (size_t i = 0; i < s->n_views; i++)
        grid_view_forget(&s->view[i]);
    show(s, true);
}
