// SPDX-License-Identifier: MIT
#include "screen/screen_modules.h"

#include "lib/div_up.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "screen/screen_section.h"
#include "spd/module_lines.h"

#define INDENT 2u /* of a module's further lines */

/* Columns of the list. */
enum { NAME = 12, SIZE = 21, TYPE = 22, SPEED = 33, NOW = 38, HIGHEST = 46 };

static size_t n_modules(const struct screen_state *s)
{
    return s->modules ? s->modules->n : 0;
}

static bool is_cpu_known(const struct screen_state *s)
{
    return s->cpu_temperature && s->cpu_temperature->is_known;
}

/* With the titles of the columns. */
size_t screen_modules_rows(const struct screen_state *s)
{
    size_t n = n_modules(s) + is_cpu_known(s);

    return n ? n + 1 : 0;
}

static void paint_degrees(struct grid *g, unsigned column, unsigned row,
                          const struct temperature *t)
{
    if (!t->is_known)
        return;
    if (t->doubt == SENSOR_TRUSTED)
        grid_print_right(g, AT(column + NOW, row), STRONG, "%d C", temperature_degrees(t->now_mc));
    else
        grid_print_right(g, AT(column + NOW, row), WARN, "?");
    if (!t->is_empty)
        grid_print_right(g, AT(column + HIGHEST, row), PLAIN, "%d C",
                         temperature_degrees(t->highest_mc));
}

/* What it runs at, else what it is for. */
static uint32_t speed_of(const struct module *m)
{
    uint32_t now = module_mt_s(m), rated = m->slot ? m->slot->rated_mt_s : 0;

    return now ? now : m->jedec_mt_s ? m->jedec_mt_s : rated;
}

/* By the memory controller's registers, which measurements have confirmed. */
static bool has_faults(const struct screen_state *s, const struct module *m)
{
    bool has = false;

    for (size_t i = 0; m->slot && i < SCREEN_FAULTY_SLOTS; i++)
        has |= s->faulty_slot[i] == m->slot;
    return has;
}

static void paint_row(const struct screen_state *s, struct grid *g, unsigned column, unsigned row,
                      const struct module *m)
{
    char place[SMBIOS_NAME_SIZE];
    uint32_t mt_s = speed_of(m);

    if (!m->slot && m->spd)
        fmt_print(place, sizeof(place), "SMBus 0x%x", m->spd->address);
    else
        module_place(m, place);
    grid_text(g, AT(column, row), NAME, STRONG, place);
    if (has_faults(s, m))
        grid_print(g, AT(column + NAME + 1, row), BAD, "X");
    grid_print_right(g, AT(column + SIZE, row), STRONG, "%s",
                     m->size_bytes ? FMT_SIZE(m->size_bytes) : "unknown");
    grid_print(g, AT(column + TYPE, row), PLAIN, "%s", module_type_name(m));
    if (mt_s)
        grid_print_right(g, AT(column + SPEED, row), PLAIN, "%u", mt_s);
    paint_degrees(g, column, row, &m->temperature);
}

static bool is_any_known(const struct screen_state *s)
{
    bool is_known = is_cpu_known(s);

    for (size_t i = 0; i < n_modules(s); i++)
        is_known = is_known || s->modules->module[i].temperature.is_known;
    return is_known;
}

static void paint_titles(const struct screen_state *s, struct grid *g, unsigned column,
                         unsigned row)
{
    grid_print(g, AT(column, row), DIM, "place");
    grid_print_right(g, AT(column + SIZE, row), DIM, "size");
    grid_print(g, AT(column + TYPE, row), DIM, "type");
    grid_print_right(g, AT(column + SPEED, row), DIM, "MT/s");
    if (!is_any_known(s))
        return;
    grid_print_right(g, AT(column + NOW, row), DIM, "now");
    grid_print_right(g, AT(column + HIGHEST, row), DIM, "highest");
}

void screen_modules_paint_list(const struct screen_state *s, struct grid *g, struct area area)
{
    unsigned row = area.row + 1, end = area.row + area.rows;
    size_t shown = min_u64(n_modules(s), end - row - 1 - is_cpu_known(s));
    char note[32] = "";

    if (s->faulty_slot[0])
        fmt_print(note, sizeof(note), "X: has faults");
    if (n_modules(s) > shown)
        fmt_print(note, sizeof(note), "first %zu of %zu", shown, n_modules(s));
    screen_paint_heading_in(g, area, is_any_known(s) ? "Modules and temperatures" : "Modules",
                            note);
    paint_titles(s, g, area.column, row++);
    if (is_cpu_known(s)) {
        grid_text(g, AT(area.column, row), NAME, STRONG, "CPU");
        paint_degrees(g, area.column, row++, s->cpu_temperature);
    }
    for (size_t i = 0; i < shown; i++)
        paint_row(s, g, area.column, row++, &s->modules->module[i]);
}

static const struct module *hottest(const struct screen_state *s)
{
    const struct module *found = NULL;

    for (size_t i = 0; i < n_modules(s); i++) {
        const struct module *m = &s->modules->module[i];

        if (m->temperature.is_known &&
            (!found || m->temperature.highest_mc > found->temperature.highest_mc))
            found = m;
    }
    return found;
}

void screen_modules_temperatures(const struct screen_state *s, char text[SCREEN_TEMPERATURES_SIZE])
{
    struct fmt_buffer b = fmt_buffer_make(text, SCREEN_TEMPERATURES_SIZE);
    const struct module *m = hottest(s);
    char place[SMBIOS_NAME_SIZE];

    if (is_cpu_known(s))
        temperature_append(&b, "CPU", s->cpu_temperature);
    if (!m)
        return;
    if (is_cpu_known(s))
        fmt_append(&b, ", ");
    module_place(m, place);
    temperature_append(&b, m->slot && strlen(place) <= NAME ? place : "memory", &m->temperature);
}

void screen_modules_append_one(struct fmt_buffer *b, const struct module *m)
{
    const char *texts[] = { module_type_name(m), m->maker, m->part };
    char place[SMBIOS_NAME_SIZE];

    fmt_append(b, "%s", module_place(m, place));
    if (m->size_bytes)
        fmt_append(b, " %s", FMT_SIZE(m->size_bytes));
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (texts[i][0])
            fmt_append(b, " %s", texts[i]);
    }
}

void screen_modules_append_all(const struct screen_state *s, struct fmt_buffer *b)
{
    for (size_t i = 0; i < n_modules(s); i++) {
        fmt_append(b, i ? ", " : "");
        screen_modules_append_one(b, &s->modules->module[i]);
    }
}

void screen_modules_append_count(const struct screen_state *s, struct fmt_buffer *b)
{
    uint64_t bytes = 0;
    bool alike = true;

    if (!n_modules(s))
        return;
    for (size_t i = 0; i < n_modules(s); i++) {
        const struct module *m = &s->modules->module[i], *first = &s->modules->module[0];

        bytes += m->size_bytes;
        alike = alike && m->size_bytes == first->size_bytes &&
                strcmp(module_type_name(m), module_type_name(first)) == 0;
    }
    fmt_append(b, "%zu module%s", n_modules(s), fmt_plural(n_modules(s)));
    if (alike && bytes)
        fmt_append(b, " of %s %s", FMT_SIZE(s->modules->module[0].size_bytes),
                   module_type_name(&s->modules->module[0]));
    else if (bytes)
        fmt_append(b, ", %s", FMT_SIZE(bytes));
}

/* The first row of a page is for temperatures. */
static size_t modules_a_page(unsigned rows)
{
    return (page_rows(rows) - 1) / MODULE_LINES;
}

size_t screen_modules_parts(const struct screen_state *s, unsigned rows)
{
    return div_up(n_modules(s), modules_a_page(rows));
}

static unsigned paint_module(const struct screen_state *s, const struct module *m, struct grid *g,
                             unsigned row)
{
    for (unsigned line = 0; line < MODULE_LINES; line++) {
        char text[192];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
        unsigned indent = line ? INDENT : 0;

        module_append_line(&b, m, line);
        if (!line && has_faults(s, m))
            fmt_append(&b, "; has faults");
        if (text[0])
            grid_text(g, AT(MARGIN + indent, row++), g->columns - 2 * MARGIN - indent,
                      line == MODULE_LINES - 1 ? WARN
                      : line                   ? PLAIN
                      : has_faults(s, m)       ? BAD
                                               : STRONG,
                      text);
    }
    return row;
}

void screen_modules_paint(const struct screen_state *s, struct grid *g, size_t part)
{
    static const struct temperature unknown;
    const size_t each = modules_a_page(g->rows);
    unsigned row = PAGE_TOP + 1;
    char text[256];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    temperatures_append(&b, s->cpu_temperature ? s->cpu_temperature : &unknown, s->modules);
    grid_text(g, AT(MARGIN, PAGE_TOP), g->columns - 2 * MARGIN, STRONG, text);
    for (size_t i = part * each; i < s->modules->n && i < (part + 1) * each; i++)
        row = paint_module(s, &s->modules->module[i], g, row);
}
