// SPDX-License-Identifier: MIT
/* Sections: what one CPU gets of each cache and of memory; its latency by size. */
#include "screen/screen_section.h"
#include "sections/matrix.h"

#include "lib/fmt.h"
#include "lib/minmax.h"

static void paint_size(struct grid *g, unsigned end, unsigned row, uint64_t bytes)
{
    grid_print_right(g, end, row, PLAIN, "%s", FMT_SIZE(bytes));
}

static size_t caches_kept(const struct measured *m)
{
    return min_u64(m->n_caches, MEASURED_CACHES_MAX);
}

static size_t points_kept(const struct measured *m)
{
    return min_u64(m->n_curve, MEASURED_CURVE_MAX);
}

static size_t caches_parts(const struct screen_state *s, unsigned rows)
{
    return s->measured.n_caches || matrix_has_latency(&s->measured) ? 1 : 0;
}

static void paint_cache_name(struct grid *g, unsigned row, const struct measured_cache *c)
{
    if (c->level)
        grid_print(g, MARGIN, row, STRONG, "L%u", c->level);
    else
        grid_print(g, MARGIN, row, STRONG, "memory");
}

static void paint_caches(const struct measured *m, struct grid *g)
{
    enum { SIZE = 18, RATE = 30, RATE_BAR = 31, RATE_WIDTH = 22, NS = 63, NS_BAR = 64 };
    double most_mb_s = 0, most_ns = 0;

    for (size_t i = 0; i < caches_kept(m); i++) {
        most_mb_s = m->cache[i].mb_s > most_mb_s ? m->cache[i].mb_s : most_mb_s;
        most_ns = m->cache[i].ns > most_ns ? m->cache[i].ns : most_ns;
    }
    screen_paint_heading(g, PAGE_HEADING, "Caches and memory", "as one CPU reads them");
    grid_print_right(g, SIZE, PAGE_TOP, DIM, "size");
    grid_print_right(g, RATE, PAGE_TOP, DIM, "MB/s");
    grid_print_right(g, NS, PAGE_TOP, DIM, "ns");
    for (size_t i = 0; i < caches_kept(m); i++) {
        const struct measured_cache *c = &m->cache[i];
        unsigned row = PAGE_LIST + (unsigned)i;

        paint_cache_name(g, row, c);
        paint_size(g, SIZE, row, c->size_bytes);
        section_paint_figure(g, RATE, row, STRONG, c->mb_s);
        section_paint_bar(g, RATE_BAR, row, RATE_WIDTH, c->mb_s, most_mb_s);
        section_paint_figure(g, NS, row, STRONG, c->ns);
        if (most_ns > 0)
            section_paint_bar(g, NS_BAR, row, END - NS_BAR, c->ns, most_ns);
    }
}

static void paint_overview(const struct screen_state *s, struct grid *g, size_t part)
{
    const struct measured *m = &s->measured;
    unsigned row = PAGE_HEADING;

    if (m->n_caches) {
        paint_caches(m, g);
        row = PAGE_LIST + (unsigned)caches_kept(m) + 1;
    }
    if (matrix_has_latency(m))
        matrix_paint_latency(m, g, row);
    section_paint_left_out(g, m->n_caches, MEASURED_CACHES_MAX);
}

/* One column with long bars, as long as that is enough. */
static size_t curve_columns(const struct measured *m, unsigned rows)
{
    return m->n_curve > page_list_rows(rows) ? 2 : 1;
}

static size_t curve_parts(const struct screen_state *s, unsigned rows)
{
    const struct measured *m = &s->measured;

    /* A single size belongs to the matrix. */
    return m->n_curve < 2
               ? 0
               : section_parts(points_kept(m), curve_columns(m, rows) * page_list_rows(rows));
}

/* The smallest cache that holds `bytes`. */
static void paint_holder(const struct measured *m, struct grid *g, unsigned column, unsigned row,
                         uint64_t bytes)
{
    const struct measured_cache *best = NULL;

    for (size_t i = 0; i < caches_kept(m); i++) {
        const struct measured_cache *c = &m->cache[i];

        if (c->level && c->size_bytes >= bytes && (!best || c->size_bytes < best->size_bytes))
            best = c;
    }
    if (best)
        grid_print(g, column, row, HEADING, "L%u", best->level);
}

static void paint_curve(const struct screen_state *s, struct grid *g, size_t part)
{
    enum { SIZE = 9, NS = 19, HOLDER = 20, BAR = 23, GAP = 2 };
    const struct measured *m = &s->measured;
    const unsigned list_rows = page_list_rows(g->rows);
    size_t columns = curve_columns(m, g->rows), first = part * columns * list_rows;
    unsigned width = columns == 1 ? WIDTH : (WIDTH - GAP) / 2;
    double most = 0;
    char nodes[48];

    fmt_print(nodes, sizeof(nodes), "CPU of node %u, memory of node %u", m->curve_cpu_node,
              m->curve_mem_node);
    screen_paint_heading(g, PAGE_HEADING, "Latency by size", nodes);
    for (size_t i = 0; i < points_kept(m); i++)
        most = m->curve[i].ns > most ? m->curve[i].ns : most;
    for (size_t column = 0; column < columns; column++) {
        unsigned left = MARGIN + (unsigned)column * (width + GAP);

        grid_print_right(g, left + SIZE, PAGE_TOP, DIM, "size");
        grid_print_right(g, left + NS, PAGE_TOP, DIM, "ns");
        for (unsigned y = 0; y < list_rows; y++) {
            size_t i = first + column * list_rows + y;

            if (i >= points_kept(m))
                break;
            paint_size(g, left + SIZE, PAGE_LIST + y, m->curve[i].size_bytes);
            section_paint_figure(g, left + NS, PAGE_LIST + y, STRONG, m->curve[i].ns);
            paint_holder(m, g, left + HOLDER, PAGE_LIST + y, m->curve[i].size_bytes);
            section_paint_bar(g, left + BAR, PAGE_LIST + y, width - BAR, m->curve[i].ns, most);
        }
    }
    section_paint_left_out(g, m->n_curve, MEASURED_CURVE_MAX);
}

const struct screen_section section_caches = { .parts = caches_parts, .paint = paint_overview };
const struct screen_section section_curve = { .parts = curve_parts, .paint = paint_curve };
