// SPDX-License-Identifier: MIT
#include "screen/screen.h"

#include "lib/panic.h"
#include "screen/screen_codes.h"
#include "screen/screen_pages.h"
#include "screen/screen_paint.h"

static void paint(struct screen *s)
{
    if (s->state.shown)
        screen_pages_paint(&s->state, &s->grid);
    else
        screen_paint(&s->state, &s->grid);
}

static void show(struct screen *s, bool all)
{
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
    if (e->type != EVENT_FAULT)
        show(s, e->type == EVENT_RESULT);
}

void screen_next_part(struct screen *s)
{
    if (s->state.shown)
        screen_pages_next(&s->state);
    else
        s->state.badram_part =
            (s->state.badram_part + 1) % screen_badram_parts(&s->state, s->state.rows_min);
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
