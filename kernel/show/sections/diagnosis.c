// SPDX-License-Identifier: MIT
/* A section: which module is bad, as far as that is known, and how to go on. */
#include "screen/screen_section.h"

/* Where the text is painted, and which of its rows: those from `first` on. */
struct walk {
    struct grid *g; /* NULL: rows are only counted */
    size_t row, first;
};

/* Each line of the text on rows of its own, and an empty row after the last. */
static void put(struct walk *w, uint8_t colour, const char *text)
{
    if (!*text)
        return;
    for (size_t n; *text; text += n + (text[n] == '\n'), w->row++) {
        size_t line = 0;

        while (text[line] && text[line] != '\n')
            line++;
        n = grid_wrap(text, WIDTH);
        n = n < line ? n : line;
        if (w->g && w->row >= w->first && w->row < w->first + page_rows(w->g->rows))
            grid_put(w->g, MARGIN, PAGE_TOP + (unsigned)(w->row - w->first), colour, text, n);
    }
    w->row++;
}

static size_t walk(const struct screen_state *s, struct grid *g, size_t first)
{
    const struct diagnosis_record *d = &s->diagnosis;
    struct walk w = { .g = g, .first = first };

    if (!s->has_diagnosis)
        return 0;
    put(&w, STRONG, d->found);
    put(&w, PLAIN, d->reasons);
    put(&w, STRONG, d->next);
    put(&w, PLAIN, d->words);
    put(&w, PLAIN, d->history);
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
