// SPDX-License-Identifier: MIT
/* A section: which module is bad, as far as that is known, and how to go on. */
#include "screen/screen_section.h"

static size_t walk(const struct screen_state *s, struct grid *g, size_t first)
{
    const struct diagnosis_record *d = &s->diagnosis;
    struct section_text w = { .g = g, .first = first };

    if (!s->has_diagnosis)
        return 0;
    if (!s->diagnosis_has_begun) {
        section_put_text(&w, STRONG, s->advice);
        section_put_text(&w, PLAIN, "The search for the bad module begins like this:");
    }
    section_put_text(&w, STRONG, d->found);
    section_put_text(&w, PLAIN, d->reasons);
    section_put_text(&w, s->diagnosis_has_begun ? STRONG : PLAIN, d->next);
    section_put_text(&w, PLAIN, d->words);
    section_put_text(&w, PLAIN, d->history);
    return w.row - 1;
}

static size_t parts(const struct screen_state *s, unsigned rows)
{
    return section_parts(walk(s, NULL, 0), page_rows(rows));
}

static void paint(const struct screen_state *s, struct grid *g, size_t part)
{
    screen_paint_heading(g, PAGE_HEADING, "Which module is it?", "");
    walk(s, g, part * page_rows(g->rows));
}

const struct screen_section section_diagnosis = { .parts = parts, .paint = paint };
