// SPDX-License-Identifier: MIT
/* A section: what a bug report needs of the machine. */
#include "screen/screen_section.h"

#include "machine_facts/support_lines.h"

/* From the row that is another page's heading on: each group of lines has its own. */
static size_t lines_each(unsigned rows)
{
    return page_rows(rows) + 1;
}

/* Where the page ends that begins with that line: no heading is its last. */
static size_t page_end_line(const struct support *s, size_t begin, unsigned rows)
{
    size_t n = support_lines(s), end = begin + lines_each(rows);
    struct support_line last;

    if (end >= n)
        return n;
    support_line(s, end - 1, &last);
    return last.is_heading ? end - 1 : end;
}

static size_t parts(const struct screen_state *s, unsigned rows)
{
    size_t n = 0;

    if (!s->support)
        return 0;
    for (size_t at = 0; at < support_lines(s->support); n++)
        at = page_end_line(s->support, at, rows);
    return n;
}

static void paint(const struct screen_state *s, struct grid *g, size_t part)
{
    size_t begin = 0;

    while (part--)
        begin = page_end_line(s->support, begin, g->rows);
    for (size_t i = begin; i < page_end_line(s->support, begin, g->rows); i++) {
        unsigned row = PAGE_HEADING + (unsigned)(i - begin);
        struct support_line line;

        support_line(s->support, i, &line);
        if (line.is_heading)
            screen_paint_heading(g, row, line.text, "");
        else
            grid_text(g, MARGIN, row, g->columns - 2 * MARGIN, PLAIN, line.text);
    }
}

const struct screen_section section_support = { .parts = parts, .paint = paint };
