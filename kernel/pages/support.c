// SPDX-License-Identifier: MIT
/* A section: what a bug report needs of the machine. */
#include "screen/screen_section.h"

#include "support/support_lines.h"

static size_t parts(const struct screen_state *s, unsigned rows)
{
    return s->support ? section_parts(support_lines(s->support), page_rows(rows) + 1) : 0;
}

/* From the row that is another page's heading on: each group of lines has its own. */
static void paint(const struct screen_state *s, struct grid *g, size_t part)
{
    size_t n = support_lines(s->support), each = page_rows(g->rows) + 1;

    for (size_t i = part * each; i < n && i < (part + 1) * each; i++) {
        unsigned row = PAGE_HEADING + (unsigned)(i - part * each);
        struct support_line line;

        support_line(s->support, i, &line);
        if (line.is_heading)
            screen_paint_heading(g, row, line.text, "");
        else
            grid_text(g, MARGIN, row, g->columns - 2 * MARGIN, PLAIN, line.text);
    }
}

const struct screen_section section_support = { .parts = parts, .paint = paint };
