// SPDX-License-Identifier: MIT
/* A section: what to do next, whole: the page of results may have room for its first rows only. */
#include "screen/screen_section.h"

static size_t walk(const struct screen_state *s, struct grid *g, size_t first)
{
    struct section_text t = { .g = g, .first = first };

    if (!s->has_result || !s->advice[0])
        return 0;
    section_put_text(&t, PLAIN, s->advice);
    return t.row - 1;
}

static size_t parts(const struct screen_state *s, unsigned rows)
{
    return section_parts(walk(s, NULL, 0), page_rows(rows));
}

static void paint(const struct screen_state *s, struct grid *g, size_t part)
{
    screen_paint_heading(g, PAGE_HEADING, "What to do", "");
    walk(s, g, part * page_rows(g->rows));
}

const struct screen_section section_advice = { .parts = parts, .paint = paint };
