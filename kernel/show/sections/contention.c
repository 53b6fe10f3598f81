// SPDX-License-Identifier: MIT
/* Sections: what the CPUs of other nodes cost, and what keeping data on other nodes costs. */
#include "screen/screen_section.h"

#include "lib/minmax.h"
#include "report/format_text.h"

/* Columns of both pages: three nodes, then figures. */
enum { NODE_A = 8, NODE_B = 16, NODE_C = 25, FIRST_ROW = PAGE_LIST + 1 };

static unsigned rows_each(unsigned rows)
{
    return page_list_rows(rows) - 1;
}

static void paint_nodes(struct grid *g, unsigned row, uint32_t a, uint32_t b, uint32_t c)
{
    grid_print_right(g, NODE_A, row, PLAIN, "%u", a);
    grid_print_right(g, NODE_B, row, PLAIN, "%u", b);
    grid_print_right(g, NODE_C, row, PLAIN, "%u", c);
}

static void paint_node_titles(struct grid *g, const char *b_above, const char *b,
                              const char *c_above, const char *c)
{
    grid_print_right(g, NODE_A, PAGE_TOP, DIM, "CPUs of");
    grid_print_right(g, NODE_A, PAGE_LIST, DIM, "node");
    grid_print_right(g, NODE_B, PAGE_TOP, DIM, "%s", b_above);
    grid_print_right(g, NODE_B, PAGE_LIST, DIM, "%s", b);
    grid_print_right(g, NODE_C, PAGE_TOP, DIM, "%s", c_above);
    grid_print_right(g, NODE_C, PAGE_LIST, DIM, "%s", c);
}

static size_t contention_parts(const struct screen_state *s, unsigned rows)
{
    return section_parts(min_u64(s->measured.n_contentions, MEASURED_CONTENTIONS_MAX),
                         rows_each(rows));
}

static void paint_contention(const struct screen_state *s, struct grid *g, size_t part)
{
    enum { IDLE = 36, LOADED = 46, SLOWER = 54, IDLE_NS = 62, LOADED_NS = 70, SLOWER_NS = END };
    const struct measured *m = &s->measured;

    screen_paint_heading(g, PAGE_HEADING, "Contention",
                         "while CPUs of another node read the same memory");
    paint_node_titles(g, "memory", "of node", "loaded", "by node");
    grid_print(g, IDLE - 4, PAGE_TOP, HEADING, "MB/s");
    grid_print_right(g, IDLE, PAGE_LIST, DIM, "idle");
    grid_print_right(g, LOADED, PAGE_LIST, DIM, "loaded");
    grid_print_right(g, SLOWER, PAGE_LIST, DIM, "slower");
    grid_print_right(g, IDLE_NS, PAGE_TOP, HEADING, "ns");
    grid_print_right(g, IDLE_NS, PAGE_LIST, DIM, "idle");
    grid_print_right(g, LOADED_NS, PAGE_LIST, DIM, "loaded");
    grid_print_right(g, SLOWER_NS, PAGE_LIST, DIM, "slower");
    for (unsigned y = 0; y < rows_each(g->rows); y++) {
        size_t i = part * rows_each(g->rows) + y;
        const struct measured_contention *c = &m->contention[i];
        unsigned row = FIRST_ROW + y;

        if (i >= min_u64(m->n_contentions, MEASURED_CONTENTIONS_MAX))
            break;
        paint_nodes(g, row, c->cpu_node, c->mem_node, c->load_node);
        section_paint_figure(g, IDLE, row, STRONG, c->idle_mb_s);
        section_paint_figure(g, LOADED, row, STRONG, c->loaded_mb_s);
        section_paint_percent(g, SLOWER, row,
                              format_text_slow_down_of_bandwidth(c->idle_mb_s, c->loaded_mb_s));
        section_paint_figure(g, IDLE_NS, row, STRONG, c->idle_ns);
        section_paint_figure(g, LOADED_NS, row, STRONG, c->loaded_ns);
        section_paint_percent(g, SLOWER_NS, row,
                              format_text_slow_down_of_latency(c->idle_ns, c->loaded_ns));
    }
    section_paint_left_out(g, m->n_contentions, MEASURED_CONTENTIONS_MAX);
}

static size_t redundancy_parts(const struct screen_state *s, unsigned rows)
{
    return section_parts(min_u64(s->measured.n_redundancies, MEASURED_REDUNDANCIES_MAX),
                         rows_each(rows));
}

static void paint_redundancy(const struct screen_state *s, struct grid *g, size_t part)
{
    enum { PLAIN_RATE = 37, MIRROR = 48, MIRROR_COST = 57, PARITY = 69, PARITY_COST = END };
    const struct measured *m = &s->measured;

    screen_paint_heading(g, PAGE_HEADING, "Redundancy",
                         "data written twice, or with a parity line for every four");
    paint_node_titles(g, "data on", "node", "copy on", "node");
    grid_print_right(g, PLAIN_RATE, PAGE_TOP, HEADING, "plain");
    grid_print_right(g, MIRROR, PAGE_TOP, HEADING, "mirror");
    grid_print_right(g, PARITY, PAGE_TOP, HEADING, "parity");
    grid_print_right(g, PLAIN_RATE, PAGE_LIST, DIM, "MB/s");
    grid_print_right(g, MIRROR, PAGE_LIST, DIM, "MB/s");
    grid_print_right(g, MIRROR_COST, PAGE_LIST, DIM, "cost");
    grid_print_right(g, PARITY, PAGE_LIST, DIM, "MB/s");
    grid_print_right(g, PARITY_COST, PAGE_LIST, DIM, "cost");
    for (unsigned y = 0; y < rows_each(g->rows); y++) {
        size_t i = part * rows_each(g->rows) + y;
        const struct measured_redundancy *r = &m->redundancy[i];
        unsigned row = FIRST_ROW + y;

        if (i >= min_u64(m->n_redundancies, MEASURED_REDUNDANCIES_MAX))
            break;
        paint_nodes(g, row, r->cpu_node, r->mem_node, r->other_node);
        section_paint_figure(g, PLAIN_RATE, row, STRONG, r->plain_mb_s);
        section_paint_figure(g, MIRROR, row, STRONG, r->mirror.mb_s);
        section_paint_figure(g, PARITY, row, STRONG, r->parity.mb_s);
        if (r->mirror.mb_s > 0)
            section_paint_percent(g, MIRROR_COST, row, r->mirror.cost_percent);
        if (r->parity.mb_s > 0)
            section_paint_percent(g, PARITY_COST, row, r->parity.cost_percent);
    }
    section_paint_left_out(g, m->n_redundancies, MEASURED_REDUNDANCIES_MAX);
}

const struct screen_section section_contention = { .parts = contention_parts,
                                                   .paint = paint_contention };
const struct screen_section section_redundancy = { .parts = redundancy_parts,
                                                   .paint = paint_redundancy };
