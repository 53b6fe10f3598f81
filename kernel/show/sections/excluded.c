// SPDX-License-Identifier: MIT
/* A section: what a pass excludes, in figures, and what it does not. */
#include "lib/fmt.h"
#include "report/format_text.h"
#include "screen/screen_section.h"

static size_t walk(const struct screen_state *s, struct grid *g, size_t first)
{
    const struct excluded *e = &s->result.excluded;
    struct section_text t = { .g = g, .first = first };
    char text[240];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    if (!s->has_result || !e->reads)
        return 0;
    format_text_append_reads(&b, e);
    fmt_append(&b, "; ");
    format_text_append_rate(&b, e);
    fmt_append(&b, ".");
    text[0] = 'E'; /* a sentence here */
    section_put_text(&t, PLAIN, text);
    if (s->unpaired_bytes) {
        fmt_print(text, sizeof(text),
                  "%s was never tested together with the rest: faults between the two may have "
                  "been missed. The report lists it.",
                  FMT_SIZE(s->unpaired_bytes));
        section_put_text(&t, PLAIN, text);
    }
    return t.row - 1;
}

static size_t parts(const struct screen_state *s, unsigned rows)
{
    return section_parts(walk(s, NULL, 0), page_rows(rows));
}

static void paint(const struct screen_state *s, struct grid *g, size_t part)
{
    screen_paint_heading(g, PAGE_HEADING, "What this pass excludes", "");
    walk(s, g, part * page_rows(g->rows));
}

const struct screen_section section_excluded = { .parts = parts, .paint = paint };
