// SPDX-License-Identifier: MIT
/* A section: the memory modules that are fitted, with their speeds and temperatures. */
#include "screen/screen_section.h"

#include "spd/module_lines.h"

#define INDENT 2u /* of a module's further lines */

/* The first row is for temperatures. */
static size_t modules_a_page(unsigned rows)
{
    return (page_rows(rows) - 1) / MODULE_LINES;
}

static size_t parts(const struct screen_state *s, unsigned rows)
{
    return s->modules ? section_parts(s->modules->n, modules_a_page(rows)) : 0;
}

static void paint_temperatures(const struct screen_state *s, struct grid *g)
{
    static const struct temperature unknown;
    char text[256];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    temperatures_append(&b, s->cpu_temperature ? s->cpu_temperature : &unknown, s->modules);
    grid_text(g, MARGIN, PAGE_TOP, g->columns - 2 * MARGIN, STRONG, text);
}

static unsigned paint_module(const struct module *m, struct grid *g, unsigned row)
{
    for (unsigned line = 0; line < MODULE_LINES; line++) {
        char text[192];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
        unsigned indent = line ? INDENT : 0;

        module_append_line(&b, m, line);
        if (text[0])
            grid_text(g, MARGIN + indent, row++, g->columns - 2 * MARGIN - indent,
                      line == MODULE_LINES - 1 ? WARN
                      : line                   ? PLAIN
                                               : STRONG,
                      text);
    }
    return row;
}

static void paint(const struct screen_state *s, struct grid *g, size_t part)
{
    size_t each = modules_a_page(g->rows);
    unsigned row = PAGE_TOP + 1;

    screen_paint_heading(g, PAGE_HEADING, "Memory modules", "");
    paint_temperatures(s, g);
    for (size_t i = part * each; i < s->modules->n && i < (part + 1) * each; i++)
        row = paint_module(&s->modules->module[i], g, row);
}

const struct screen_section section_modules = { .parts = parts, .paint = paint };
