// SPDX-License-Identifier: MIT
/* Sections of two charts side by side: bandwidth by threads, latency by load. */
#include "screen/screen_section.h"

#include "lib/fmt.h"
#include "lib/minmax.h"

#define GAP 2

/* Below two rows of titles. */
static unsigned chart_rows(unsigned rows)
{
    return page_list_rows(rows) - 1;
}

/* The first column of the chart with this number, and its width, of n_charts side by side. */
static unsigned chart_left(unsigned chart, unsigned width)
{
    return MARGIN + chart * (width + GAP);
}

static unsigned chart_width(unsigned n_charts)
{
    return n_charts == 1 ? WIDTH : (WIDTH - GAP) / 2;
}

static size_t steps_kept(const struct measured_steps *s)
{
    return min_u64(s->n, MEASURED_STEPS_MAX);
}

static size_t scaling_parts(const struct measured_steps steps[MEASURED_ORDERS], unsigned rows)
{
    return section_parts(
        max_u64(steps_kept(&steps[MEASURED_FILL]), steps_kept(&steps[MEASURED_SPREAD])),
        chart_rows(rows));
}

static double largest_rate(const struct measured_steps steps[MEASURED_ORDERS])
{
    double most = 0;

    for (int order = 0; order < MEASURED_ORDERS; order++)
        for (size_t i = 0; i < steps_kept(&steps[order]); i++)
            most = steps[order].step[i].mb_s > most ? steps[order].step[i].mb_s : most;
    return most;
}

static void paint_steps(struct grid *g, const struct measured_steps *s, size_t first, unsigned left,
                        unsigned width, double most)
{
    enum { THREADS = 7, MEAN = 18, STDDEV = 27, BAR = 28 };

    grid_print_right(g, left + THREADS, PAGE_LIST, DIM, "threads");
    grid_print_right(g, left + MEAN, PAGE_LIST, DIM, "MB/s");
    grid_print_right(g, left + STDDEV, PAGE_LIST, DIM, "stddev");
    for (unsigned y = 0; y < chart_rows(g->rows) && first + y < steps_kept(s); y++) {
        const struct measured_rate *r = &s->step[first + y];
        unsigned row = PAGE_LIST + 1 + y;

        grid_print_right(g, left + THREADS, row, PLAIN, "%u", r->threads);
        section_paint_figure(g, left + MEAN, row, STRONG, r->mb_s);
        grid_print_right(g, left + STDDEV, row, PLAIN, "%.1f", r->stddev);
        section_paint_bar(g, left + BAR, row, width - BAR, r->mb_s, most);
    }
}

static void paint_scaling(struct grid *g, const struct measured_steps steps[MEASURED_ORDERS],
                          size_t part, const char *title)
{
    bool both = steps[MEASURED_FILL].n && steps[MEASURED_SPREAD].n;
    unsigned width = chart_width(both ? 2 : 1);
    double most = largest_rate(steps);

    screen_paint_heading(g, PAGE_HEADING, title, "each thread in its own node's memory");
    for (unsigned order = 0, chart = 0; order < MEASURED_ORDERS; order++) {
        unsigned left = chart_left(chart, width);

        if (!steps[order].n)
            continue;
        grid_print(g, left, PAGE_TOP, HEADING,
                   order == MEASURED_FILL ? "fill: one node after the other"
                                          : "spread: round robin over the nodes");
        paint_steps(g, &steps[order], part * chart_rows(g->rows), left, width, most);
        chart++;
        section_paint_left_out(g, steps[order].n, MEASURED_STEPS_MAX);
    }
}

static size_t triad_parts(const struct screen_state *s, unsigned rows)
{
    return scaling_parts(s->measured.scaling[MEASURED_TRIAD], rows);
}

static void paint_triad(const struct screen_state *s, struct grid *g, size_t part)
{
    paint_scaling(g, s->measured.scaling[MEASURED_TRIAD], part, "Scaling of triad");
}

static size_t read_parts(const struct screen_state *s, unsigned rows)
{
    return scaling_parts(s->measured.scaling[MEASURED_READ], rows);
}

static void paint_read(const struct screen_state *s, struct grid *g, size_t part)
{
    paint_scaling(g, s->measured.scaling[MEASURED_READ], part, "Scaling of read");
}

static size_t loads_kept(const struct measured_loads *l)
{
    return min_u64(l->n, MEASURED_LOADS_MAX);
}

static size_t loaded_parts(const struct screen_state *s, unsigned rows)
{
    const struct measured_loads *loaded = s->measured.loaded;

    return section_parts(
        max_u64(loads_kept(&loaded[MEASURED_READS]), loads_kept(&loaded[MEASURED_2_TO_1])),
        chart_rows(rows));
}

static void paint_loads(struct grid *g, const struct measured_loads *l, size_t first, unsigned left,
                        unsigned width, double most)
{
    enum { LOAD = 11, NS = 20, BAR = 21 };

    grid_print_right(g, left + LOAD, PAGE_LIST, DIM, "load MB/s");
    grid_print_right(g, left + NS, PAGE_LIST, DIM, "ns");
    for (unsigned y = 0; y < chart_rows(g->rows) && first + y < loads_kept(l); y++) {
        unsigned row = PAGE_LIST + 1 + y;

        grid_print_right(g, left + LOAD, row, PLAIN, "%.1f", l->level[first + y].load_mb_s);
        section_paint_figure(g, left + NS, row, STRONG, l->level[first + y].ns);
        section_paint_bar(g, left + BAR, row, width - BAR, l->level[first + y].ns, most);
    }
    section_paint_left_out(g, l->n, MEASURED_LOADS_MAX);
}

static void paint_loaded(const struct screen_state *s, struct grid *g, size_t part)
{
    static const char *const titles[MEASURED_MIXES] = { "load: reads", "load: 2 reads to 1 write" };
    const struct measured *m = &s->measured;
    unsigned width = chart_width(MEASURED_MIXES);
    double most = 0;
    char nodes[48];

    fmt_print(nodes, sizeof(nodes), "CPU of node %u, memory of node %u", m->loaded_cpu_node,
              m->loaded_mem_node);
    screen_paint_heading(g, PAGE_HEADING, "Latency under load", nodes);
    for (int mix = 0; mix < MEASURED_MIXES; mix++)
        for (size_t i = 0; i < loads_kept(&m->loaded[mix]); i++)
            most = m->loaded[mix].level[i].ns > most ? m->loaded[mix].level[i].ns : most;
    for (unsigned mix = 0, chart = 0; mix < MEASURED_MIXES; mix++) {
        if (!m->loaded[mix].n)
            continue;
        grid_print(g, chart_left(chart, width), PAGE_TOP, HEADING, "%s", titles[mix]);
        paint_loads(g, &m->loaded[mix], part * chart_rows(g->rows), chart_left(chart, width), width,
                    most);
        chart++;
    }
}

const struct screen_section section_triad = { .parts = triad_parts, .paint = paint_triad };
const struct screen_section section_read = { .parts = read_parts, .paint = paint_read };
const struct screen_section section_loaded = { .parts = loaded_parts, .paint = paint_loaded };
