// SPDX-License-Identifier: MIT
#include "screen/screen_side_panels.h"

#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "report/format_text.h"
#include "screen/screen_modules.h"
#include "screen/screen_picture.h"
#include "screen/screen_section.h"

#define MAIN_ROWS_MIN 25 /* rows of a high grid that the main page keeps */
#define ROWS_MIN      3  /* of a section: an empty one above it, a heading, and a row */
#define HISTORY_ROWS  4
#define ROWS_RESERVED 6 /* for each section that follows */

struct panel {
    size_t (*rows)(const struct screen_state *s, unsigned columns); /* below its heading; or 0 */
    void (*paint)(const struct screen_state *s, struct grid *g, struct screen_area area);
};

static size_t speed_rows(const struct screen_state *s, unsigned columns)
{
    bool sweeps = !s->has_result && strcmp(s->phase, "test") == 0;

    return sweeps ? min_u64(s->n_nodes, SCREEN_NODES_MAX) : 0;
}

/* Bars are relative to the highest speed so far. */
static void paint_speed(const struct screen_state *s, struct grid *g, struct screen_area area)
{
    enum { NAME = 8, FIGURE = 8 };
    unsigned end = area.column + area.columns, width = area.columns - NAME - FIGURE;

    screen_paint_heading_in(g, area, "Now", "MB/s by the CPUs of each node");
    for (unsigned i = 0; i + 1 < area.rows; i++) {
        unsigned row = area.row + 1 + i;
        double part = s->most_node_mb_s > 0 ? s->node_mb_s[i] / s->most_node_mb_s : 0;

        grid_print(g, area.column, row, PLAIN, "node %u", s->node[i].node);
        grid_bar(g, area.column + NAME, row, width, part, GOOD, DIM);
        grid_print_right(g, end, row, STRONG, "%.0f", s->node_mb_s[i]);
    }
}

/* With the titles of its columns. */
static size_t page_rows_wanted(const struct screen_state *s, unsigned columns)
{
    return s->n_bad_pages ? s->n_bad_pages + 1 : 0;
}

static void paint_pages(const struct screen_state *s, struct grid *g, struct screen_area area)
{
    enum { FAULTS = 24, BITS = 26 };
    const size_t shown = min_u64(s->n_bad_pages, area.rows - 2);
    unsigned row = area.row + 1;
    char note[48] = "";

    if (s->bad_pages > shown)
        fmt_print(note, sizeof(note), "first %zu of %lu", shown, s->bad_pages);
    screen_paint_heading_in(g, area, "Bad pages", note);
    grid_print(g, area.column, row, DIM, "address");
    grid_print_right(g, area.column + FAULTS, row, DIM, "faults");
    grid_print(g, area.column + BITS, row++, DIM, "%s", s->is_encrypted ? "" : "bits");
    for (size_t i = 0; i < shown; i++, row++) {
        const struct screen_bad_page *p = &s->bad_page[i];
        char bits[80];
        struct fmt_buffer b = fmt_buffer_make(bits, sizeof(bits));

        if (p->has_retest)
            format_text_append_retest(&b, &p->retest);
        if (!s->is_encrypted) {
            if (p->has_retest)
                fmt_append(&b, ", bits ");
            format_text_append_bits(&b, p->bits);
        }
        grid_print(g, area.column, row, STRONG, "0x%012lx", p->addr);
        grid_print_right(g, area.column + FAULTS, row, PLAIN, "%lu", p->faults);
        grid_text(g, area.column + BITS, row, area.columns - BITS, BAD, bits);
    }
}

/* Over all of the run so far: a bar of each time, as high as it was fast. */
static size_t history_rows(const struct screen_state *s, unsigned columns)
{
    return s->rates.n > 1 && !s->has_result ? HISTORY_ROWS : 0;
}

static void paint_history(const struct screen_state *s, struct grid *g, struct screen_area area)
{
    const struct rate_history *h = &s->rates;
    const unsigned rows = area.rows - 1, halves = 2 * rows, width = area.columns / h->n;
    double most = 0;
    char note[48];

    for (uint32_t i = 0; i < h->n; i++)
        most = h->mb_s[i] > most ? h->mb_s[i] : most;
    fmt_print(note, sizeof(note), "MB/s, %.0f at most", most);
    screen_paint_heading_in(g, area, "Since the start", note);
    for (uint32_t i = 0; i < h->n; i++) {
        unsigned high = (unsigned)(h->mb_s[i] / most * halves + 0.5);

        for (unsigned y = 0; y < rows; y++) {
            unsigned below = 2 * (rows - 1 - y); /* halves of rows under this one */
            uint8_t code = high > below + 1 ? GLYPH_FULL : high > below ? GLYPH_LOWER : ' ';

            grid_fill(g, area.column + i * width, area.row + 1 + y, width, 1, code, GOOD);
        }
    }
}

static size_t n_caches(const struct screen_state *s)
{
    return min_u64(s->measured.n_caches, MEASURED_CACHES_MAX);
}

/* With the titles of its columns. */
static size_t cache_rows(const struct screen_state *s, unsigned columns)
{
    return n_caches(s) ? n_caches(s) + 1 : 0;
}

static void paint_caches(const struct screen_state *s, struct grid *g, struct screen_area area)
{
    enum { SIZE = 21, RATE = 33, NS = 46 };
    unsigned row = area.row + 1, end = area.row + area.rows;

    screen_paint_heading_in(g, area, "Caches and memory", "as one CPU reads them");
    grid_print_right(g, area.column + SIZE, row, DIM, "size");
    grid_print_right(g, area.column + RATE, row, DIM, "MB/s");
    grid_print_right(g, area.column + NS, row++, DIM, "ns");
    for (size_t i = 0; i < n_caches(s) && row < end; i++, row++) {
        const struct measured_cache *c = &s->measured.cache[i];

        if (c->level)
            grid_print(g, area.column, row, STRONG, "L%u", c->level);
        else
            grid_print(g, area.column, row, STRONG, "memory");
        grid_print_right(g, area.column + SIZE, row, PLAIN, "%s", FMT_SIZE(c->size_bytes));
        section_paint_figure(g, area.column + RATE, row, STRONG, c->mb_s);
        section_paint_figure(g, area.column + NS, row, STRONG, c->ns);
    }
}

static const struct panel panels[] = {
    { screen_picture_rows, screen_picture_paint },
    { speed_rows, paint_speed },
    { history_rows, paint_history },
    { page_rows_wanted, paint_pages },
    { screen_modules_rows, screen_modules_paint },
    { cache_rows, paint_caches },
};

#define N_PANELS (sizeof(panels) / sizeof(panels[0]))

/* Of section number i, with its heading and an empty row above that; 0: it has nothing to show. */
static unsigned rows_wanted(const struct screen_state *s, size_t i, unsigned columns)
{
    size_t rows = panels[i].rows(s, columns);

    return rows ? (unsigned)rows + 2 : 0;
}

static unsigned all_rows_wanted(const struct screen_state *s, unsigned columns)
{
    unsigned wanted = 0;

    for (size_t i = 0; i < N_PANELS; i++)
        wanted += rows_wanted(s, i, columns);
    return wanted;
}

static bool is_wide(unsigned columns)
{
    return columns >= SCREEN_WIDE_COLUMNS;
}

static struct screen_area area_beside(unsigned columns, unsigned rows)
{
    return (struct screen_area){ GRID_COLUMNS_MIN + 1, ROW_TITLE + 1,
                                 columns - GRID_COLUMNS_MIN - 1 - MARGIN, rows - 2 };
}

struct screen_area screen_side_panels_area(const struct screen_state *s, unsigned columns,
                                           unsigned rows)
{
    struct screen_area area = { MARGIN, rows - 1, WIDTH, 0 };

    if (is_wide(columns))
        return area_beside(columns, rows);
    if (rows >= MAIN_ROWS_MIN + ROWS_MIN)
        area.rows = (unsigned)min_u64(all_rows_wanted(s, area.columns), rows - MAIN_ROWS_MIN);
    area.row -= area.rows;
    return area;
}

unsigned screen_side_panels_leave(struct screen_area area, unsigned rows)
{
    return area.column == MARGIN ? rows - area.rows : rows;
}

/* What the sections after number i get at least. */
static unsigned rows_reserved(const struct screen_state *s, size_t i, unsigned columns)
{
    unsigned rows = 0;

    for (i++; i < N_PANELS; i++)
        rows += (unsigned)min_u64(rows_wanted(s, i, columns), ROWS_RESERVED);
    return rows;
}

void screen_side_panels_paint(const struct screen_state *s, struct grid *g, struct screen_area area)
{
    unsigned row = area.row, end = area.row + area.rows;

    for (size_t i = 0; i < N_PANELS; i++) {
        unsigned wanted = rows_wanted(s, i, area.columns), left = end - row;
        unsigned reserved = rows_reserved(s, i, area.columns);

        if (left >= reserved + ROWS_RESERVED)
            left -= reserved;
        if (!wanted || (left < ROWS_RESERVED && left < wanted))
            continue;
        wanted = (unsigned)min_u64(wanted, left);
        panels[i].paint(s, g,
                        (struct screen_area){ area.column, row + 1, area.columns, wanted - 1 });
        row += wanted;
    }
}

void screen_side_panels_paint_beside(const struct screen_state *s, struct grid *g)
{
    if (is_wide(g->columns))
        screen_side_panels_paint(s, g, area_beside(g->columns, g->rows));
}
