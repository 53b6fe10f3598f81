// SPDX-License-Identifier: MIT
#include "screen/screen_layout.h"

#include "lib/div_up.h"
#include "lib/minmax.h"

#define ROWS_USUAL     25 /* of a text screen */
#define GAPS           4  /* empty rows between sections, when there is room for them and */
#define COMFORT_FAULTS 5  /* for these many fault rows */
#define CLEAN_WARNINGS 8  /* rows for warnings while no fault needs them: two of full length */

size_t screen_wrap_line(const char *text)
{
    size_t n = 0;

    for (unsigned commas = 0; text[n] && text[n] != '\n' && commas < 4; n++)
        commas += text[n] == ',';
    if (n > WIDTH)
        n = grid_wrap(text, WIDTH);
    return text[n] == '\n' ? n + 1 : n;
}

size_t screen_line_rows(const char *text)
{
    size_t rows = 0;

    for (; *text; rows++)
        text += screen_wrap_line(text);
    return rows;
}

size_t screen_warning_rows(const struct screen_state *s)
{
    size_t rows = s->n_warnings > SCREEN_WARNINGS_MAX ? 1 : 0;

    for (size_t i = 0; i < s->n_warnings && i < SCREEN_WARNINGS_MAX; i++)
        rows += grid_wrapped_rows(s->warning[i], WIDTH);
    return rows;
}

static unsigned clamp(size_t x, size_t low, size_t high)
{
    return (unsigned)(x < low ? low : x > high ? high : x);
}

/* Rows for warnings at most, of `left` that these, the badram line and the faults have together. */
static unsigned warnings_max(bool clean, unsigned n_nodes, unsigned left, unsigned more_rows)
{
    if (clean)
        return (unsigned)min_u64(left - 1, CLEAN_WARNINGS + more_rows);
    return (n_nodes <= 2 ? 4 : n_nodes <= 5 ? 2 : 1) + more_rows / 2;
}

struct screen_layout screen_lay_out(const struct screen_state *s, unsigned rows)
{
    const unsigned more_rows = rows > ROWS_USUAL ? rows - ROWS_USUAL : 0;
    const bool clean = !s->n_faults && !s->bad_pages;
    const unsigned faults_min = clean ? 0 : s->has_result ? 1 : 2;
    struct screen_layout l = { .line_rows = screen_line_rows(s->lines) };
    unsigned left;

    l.n_nodes = clamp(s->n_nodes, 1, SCREEN_NODES_MAX - (rows < ROWS_USUAL));
    /* Headings: one for nodes, two rows for errors, one for the badram line. */
    left = rows - 1 - (ROW_MEMORY + 1 + 1 + l.n_nodes + VERDICT_ROWS + 2 + 1);
    l.n_warnings =
        clamp(screen_warning_rows(s), 0, warnings_max(clean, l.n_nodes, left, more_rows));
    left -= l.n_warnings;
    if (left >= GAPS + (clean && s->has_result ? 0 : COMFORT_FAULTS) +
                    (l.line_rows < 2 ? 2 : l.line_rows)) {
        l.gap = 1;
        left -= GAPS;
    }
    l.n_line = clamp(l.line_rows, left < 2 ? left : 2, left - faults_min);
    l.n_faults = left - l.n_line;

    l.nodes = ROW_MEMORY + 1 + l.gap;
    l.verdict = l.nodes + 1 + l.n_nodes + l.gap;
    l.errors = l.verdict + VERDICT_ROWS + l.gap;
    l.badram = l.errors + 2 + l.n_faults + l.gap;
    l.warnings = l.badram + 1 + l.n_line;
    return l;
}

unsigned screen_rows_shown(const struct screen_layout *l)
{
    return l->line_rows > l->n_line && l->n_line > 1 ? l->n_line - 1 : l->n_line;
}

size_t screen_parts(const struct screen_layout *l)
{
    unsigned shown = screen_rows_shown(l);

    return shown ? div_up(l->line_rows, shown) : 1;
}
