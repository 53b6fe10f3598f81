// SPDX-License-Identifier: MIT
#include "screen/screen_details.h"

#include "lib/div_up.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "machine_facts/support.h"
#include "report/format_text.h"
#include "screen/screen_blocks.h"
#include "screen/screen_modules.h"
#include "screen/screen_section.h"

/* A section: sentences, or pages of its own. */
struct screen_section {
    const char *heading;
    void (*say)(const struct screen_state *s, struct section_text *t);
    /* Without sentences: its pages on a grid of that many rows, 0 without data; and one of them. */
    size_t (*parts)(const struct screen_state *s, unsigned rows);
    void (*paint)(const struct screen_state *s, struct grid *g, size_t part);
};

static size_t section_parts(const struct screen_section *section, const struct screen_state *s,
                            unsigned rows)
{
    struct section_text t = { 0 };

    if (!section->say)
        return section->parts(s, rows);
    section->say(s, &t);
    return t.row ? div_up(t.row - 1, page_rows(rows)) : 0;
}

static void section_paint(const struct screen_section *section, const struct screen_state *s,
                          struct grid *g, size_t part)
{
    struct section_text t = { .g = g, .first = part * page_rows(g->rows) };

    if (section->heading)
        screen_paint_heading(g, PAGE_HEADING, section->heading, "");
    if (section->say)
        section->say(s, &t);
    else
        section->paint(s, g, part);
}

/* Which module is bad, as far as that is known, and how to go on. */
static void say_diagnosis(const struct screen_state *s, struct section_text *t)
{
    const struct diagnosis_record *d = &s->diagnosis;

    if (!s->has_diagnosis)
        return;
    if (!s->diagnosis_has_begun) {
        section_put_text(t, STRONG, s->advice);
        section_put_text(t, PLAIN, "The search for the bad module begins like this:");
    }
    section_put_text(t, STRONG, d->found);
    section_put_text(t, PLAIN, d->reasons);
    section_put_text(t, s->diagnosis_has_begun ? STRONG : PLAIN, d->next);
    section_put_text(t, PLAIN, d->words);
    section_put_text(t, PLAIN, d->history);
}

/* Whole: the page of results may have room for its first rows only. */
static void say_advice(const struct screen_state *s, struct section_text *t)
{
    if (s->has_result)
        section_put_text(t, PLAIN, s->advice);
}

static void say_warnings(const struct screen_state *s, struct section_text *t)
{
    char left_out[48], text[GEOMETRY_TEXT_SIZE];

    if (s->geometry) {
        fmt_print(text, sizeof(text), "%s.", s->geometry->text);
        section_put_text(t, WARN, text);
    }
    for (size_t i = 0; i < s->n_warnings && i < SCREEN_WARNINGS_MAX; i++)
        section_put_text(t, WARN, s->warning[i]);
    fmt_print(left_out, sizeof(left_out), "and %zu more, in the report",
              s->n_warnings - SCREEN_WARNINGS_MAX);
    if (s->n_warnings > SCREEN_WARNINGS_MAX)
        section_put_text(t, WARN, left_out);
}

static void say_excluded(const struct screen_state *s, struct section_text *t)
{
    const struct excluded *e = &s->result.excluded;
    char text[240];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    if (!s->has_result || !e->reads)
        return;
    format_text_append_reads(&b, e);
    fmt_append(&b, "; ");
    format_text_append_rate(&b, e);
    fmt_append(&b, ".");
    text[0] = 'E'; /* a sentence here */
    section_put_text(t, PLAIN, text);
    if (!s->unpaired_bytes)
        return;
    fmt_print(text, sizeof(text),
              "%s was never tested together with the rest: faults between the two may have been "
              "missed. The report lists it.",
              FMT_SIZE(s->unpaired_bytes));
    section_put_text(t, PLAIN, text);
}

static void say_controllers(const struct screen_state *s, struct section_text *t)
{
    const struct decoded_controller *c = s->controller;
    char text[240];

    if (!c)
        return;
    section_put_text(t, PLAIN, c->family ? c->family : "not known");
    for (unsigned i = 0; i < c->n_channels; i++) {
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        decoded_append_channel(&b, c, i);
        section_put_text(t, PLAIN, text);
    }
    fmt_print(text, sizeof(text), "The module of an address is not known: %s.", c->unknown);
    if (c->unknown)
        section_put_text(t, PLAIN, text);
}

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

static size_t support_parts(const struct screen_state *s, unsigned rows)
{
    size_t n = 0;

    if (!s->support)
        return 0;
    for (size_t at = 0; at < support_lines(s->support); n++)
        at = page_end_line(s->support, at, rows);
    return n;
}

static void paint_support(const struct screen_state *s, struct grid *g, size_t part)
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
            grid_text(g, AT(MARGIN, row), g->columns - 2 * MARGIN, PLAIN, line.text);
    }
}

/* Whole: the page of results may have room for a part. */
static void say_result(const struct screen_state *s, struct section_text *t)
{
    struct screen_verdict v;

    if (!s->has_result)
        return;
    screen_verdict_make(s, &v);
    section_put_text(t, STRONG, v.what);
    section_put_text(t, PLAIN, v.kind);
    section_put_text(t, PLAIN, v.tested);
    section_put_text(t, PLAIN, v.untested);
    section_put_text(t, PLAIN, s->date);
    section_put_text(t, PLAIN, s->system);
    section_put_text(t, PLAIN, s->board);
}

static const struct screen_section sections[] = {
    { "Which module is it?", .say = say_diagnosis },
    { "What to do", .say = say_advice },
    { "What this pass excludes", .say = say_excluded },
    { "The result", .say = say_result },
    { "Warnings", .say = say_warnings },
    { "Memory controllers", .say = say_controllers },
    { "Memory modules", .parts = screen_modules_parts, .paint = screen_modules_paint },
    { NULL, .parts = support_parts, .paint = paint_support },
};

#define N_SECTIONS (sizeof(sections) / sizeof(sections[0]))

size_t screen_details_count(const struct screen_state *s, unsigned rows)
{
    size_t n = 0;

    for (size_t i = 0; i < N_SECTIONS; i++)
        n += section_parts(&sections[i], s, rows);
    return n;
}

size_t screen_details_paint(const struct screen_state *s, struct grid *g)
{
    size_t page = s->details_page, before = 0;

    for (size_t i = 0; i < N_SECTIONS; i++) {
        size_t most = section_parts(&sections[i], s, s->rows_min);
        size_t own = section_parts(&sections[i], s, g->rows);

        if (page < most) {
            size_t part = screen_part_of(page, most, own);

            section_paint(&sections[i], s, g, part);
            return before + part;
        }
        page -= most;
        before += own;
    }
    return 0;
}
