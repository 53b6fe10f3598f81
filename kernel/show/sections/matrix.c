// SPDX-License-Identifier: MIT
/*
 * Bandwidth, a section, and idle latency, node by node. A matrix is a block of cells; as many
 * blocks as fit stand on a page. With one pair of nodes, where a matrix has one cell, there is a
 * table.
 */
#include "sections/matrix.h"

#include "screen/screen_section.h"

#include "lib/fmt.h"
#include "lib/minmax.h"

#define LABEL     6 /* of a row: "node 0" is too wide for eight columns */
#define CELL      8
#define BLOCK_GAP 2

struct places {
    size_t at[MEASURED_NODES_MAX]; /* in measured.node */
    size_t n;
};

/* The nodes that a matrix is about: those with CPUs down, those with memory across. */
struct shape {
    struct places down, across;
};

static bool is_measured(const struct measured *m, size_t cpu, size_t mem)
{
    for (int op = 0; op < STREAM_OPS; op++) {
        if (m->matrix[op][MEASURED_ALL][cpu][mem].threads)
            return true;
    }
    return m->latency_ns[cpu][mem] > 0;
}

static struct shape shape_of(const struct measured *m)
{
    struct shape s = { 0 };

    for (size_t i = 0; i < MEASURED_NODES_MAX; i++) {
        bool has_cpus = false, has_memory = false;

        for (size_t k = 0; k < MEASURED_NODES_MAX; k++) {
            has_cpus = has_cpus || is_measured(m, i, k);
            has_memory = has_memory || is_measured(m, k, i);
        }
        if (has_cpus)
            s.down.at[s.down.n++] = i;
        if (has_memory)
            s.across.at[s.across.n++] = i;
    }
    return s;
}

static bool is_one_pair(const struct shape *shape)
{
    return shape->down.n == 1 && shape->across.n == 1;
}

static bool has_block(const struct measured *m, enum stream_op op, enum measured_cpus cpus)
{
    bool any = false, several = false;

    for (size_t cpu = 0; cpu < MEASURED_NODES_MAX; cpu++)
        for (size_t mem = 0; mem < MEASURED_NODES_MAX; mem++) {
            any = any || m->matrix[op][cpus][cpu][mem].threads;
            several = several || m->matrix[op][MEASURED_ALL][cpu][mem].threads > 1;
        }
    return any && (cpus == MEASURED_ALL || several);
}

struct block {
    enum stream_op op;
    enum measured_cpus cpus;
};

/* Those with figures: of all CPUs first. */
static size_t list_blocks(const struct measured *m, struct block *ret_blocks)
{
    size_t n = 0;

    for (int cpus = 0; cpus < MEASURED_CPUS; cpus++)
        for (int op = 0; op < STREAM_OPS; op++) {
            if (has_block(m, (enum stream_op)op, (enum measured_cpus)cpus))
                ret_blocks[n++] = (struct block){ (enum stream_op)op, (enum measured_cpus)cpus };
        }
    return n;
}

static unsigned block_width(const struct shape *s)
{
    return LABEL + CELL * (unsigned)s->across.n;
}

/* A row for its title, one for the nodes across; below it, one stays empty. */
static unsigned block_rows(const struct shape *s)
{
    return 3 + (unsigned)s->down.n;
}

static unsigned blocks_across(const struct shape *s)
{
    unsigned n = (WIDTH + BLOCK_GAP) / (block_width(s) + BLOCK_GAP);

    return min_u64(n, STREAM_OPS / 2);
}

static unsigned blocks_of_page(const struct shape *s, unsigned rows)
{
    return blocks_across(s) * ((page_rows(rows) + 1) / block_rows(s));
}

static void paint_grid_of_nodes(const struct measured *m, struct grid *g, const struct shape *s,
                                unsigned column, unsigned row)
{
    for (size_t x = 0; x < s->across.n; x++)
        grid_print_right(g, column + LABEL + CELL * (unsigned)(x + 1), row, DIM, "%u",
                         m->node[s->across.at[x]]);
    for (size_t y = 0; y < s->down.n; y++)
        grid_print_right(g, column + LABEL - 1, row + 1 + (unsigned)y, DIM, "%u",
                         m->node[s->down.at[y]]);
}

static void paint_cell(struct grid *g, unsigned end, unsigned row, bool local, int decimals,
                       double x)
{
    if (x > 0)
        grid_print_right(g, end, row, local ? GOOD : STRONG, "%.*f", decimals, x);
    else
        grid_print_right(g, end, row, DIM, "-");
}

static void paint_block(const struct measured *m, struct grid *g, const struct shape *s,
                        struct block b, unsigned column, unsigned row)
{
    grid_print(g, column, row, HEADING, "%s, %s", stream_op_name(b.op),
               b.cpus == MEASURED_ALL ? "all CPUs" : "one CPU");
    paint_grid_of_nodes(m, g, s, column, row + 1);
    for (size_t y = 0; y < s->down.n; y++)
        for (size_t x = 0; x < s->across.n; x++) {
            size_t cpu = s->down.at[y], mem = s->across.at[x];

            paint_cell(g, column + LABEL + CELL * (unsigned)(x + 1), row + 2 + (unsigned)y,
                       cpu == mem, 0, m->matrix[b.op][b.cpus][cpu][mem].mb_s);
        }
}

static void paint_matrix_heading(const struct measured *m, struct grid *g, unsigned row,
                                 const char *what)
{
    char note[64] = "rows: CPUs of a node, columns: memory";

    if (m->n_nodes > MEASURED_NODES_MAX)
        fmt_print(note, sizeof(note), "first %d of %zu nodes; rows: CPUs, columns: memory",
                  MEASURED_NODES_MAX, m->n_nodes);
    screen_paint_heading(g, row, what, note);
}

static size_t matrix_parts(const struct screen_state *s, unsigned rows)
{
    struct block blocks[STREAM_OPS * MEASURED_CPUS];
    size_t n = list_blocks(&s->measured, blocks);
    struct shape shape = shape_of(&s->measured);

    if (!n)
        return 0;
    return is_one_pair(&shape) ? 1 : section_parts(n, blocks_of_page(&shape, rows));
}

static void paint_rate(struct grid *g, unsigned left, unsigned row, const struct measured_rate *r,
                       double most)
{
    enum { MEAN = 11, STDDEV = 21, BAR = 22, BAR_WIDTH = 12 };

    section_paint_figure(g, left + MEAN, row, STRONG, r->mb_s);
    if (r->threads)
        grid_print_right(g, left + STDDEV, row, PLAIN, "%.1f", r->stddev);
    section_paint_bar(g, left + BAR, row, BAR_WIDTH, r->mb_s, most);
}

/* One pair of nodes: a row for each op; columns for all CPUs and for one. */
static void paint_table(const struct measured *m, struct grid *g, const struct shape *shape)
{
    enum { LEFT = 8, STEP = 37, MEAN = 11, STDDEV = 21 };
    const size_t cpu = shape->down.at[0], mem = shape->across.at[0];
    double most = 0;
    unsigned row = PAGE_LIST + 1, threads = 1;

    screen_paint_heading(g, PAGE_HEADING, "Bandwidth", "");
    for (int op = 0; op < STREAM_OPS; op++) {
        const struct measured_rate *all = &m->matrix[op][MEASURED_ALL][cpu][mem];

        most = all->mb_s > most ? all->mb_s : most;
        threads = (uint32_t)max_u64(all->threads, threads);
    }
    for (int cpus = 0; cpus < MEASURED_CPUS; cpus++) {
        unsigned left = LEFT + STEP * (unsigned)cpus;

        if (cpus == MEASURED_ALL)
            grid_print(g, left + 3, PAGE_TOP, HEADING, "%u CPU%s", threads,
                       threads == 1 ? "" : "s");
        else if (threads > 1)
            grid_print(g, left + 3, PAGE_TOP, HEADING, "1 CPU");
        else
            break;
        grid_print_right(g, left + MEAN, PAGE_LIST, DIM, "MB/s");
        grid_print_right(g, left + STDDEV, PAGE_LIST, DIM, "stddev");
    }
    for (int op = 0; op < STREAM_OPS; op++) {
        if (!has_block(m, (enum stream_op)op, MEASURED_ALL))
            continue;
        grid_print(g, MARGIN, row, STRONG, "%s", stream_op_name((enum stream_op)op));
        paint_rate(g, LEFT, row, &m->matrix[op][MEASURED_ALL][cpu][mem], most);
        if (has_block(m, (enum stream_op)op, MEASURED_ONE))
            paint_rate(g, LEFT + STEP, row, &m->matrix[op][MEASURED_ONE][cpu][mem], most);
        row++;
    }
}

static void paint_matrix(const struct screen_state *s, struct grid *g, size_t part)
{
    const struct measured *m = &s->measured;
    struct block blocks[STREAM_OPS * MEASURED_CPUS];
    size_t n = list_blocks(m, blocks), first;
    struct shape shape = shape_of(m);

    if (is_one_pair(&shape)) {
        paint_table(m, g, &shape);
        return;
    }
    paint_matrix_heading(m, g, PAGE_HEADING, "Bandwidth, MB/s");
    first = part * blocks_of_page(&shape, g->rows);
    for (unsigned i = 0; first + i < n && i < blocks_of_page(&shape, g->rows); i++) {
        unsigned x = i % blocks_across(&shape), y = i / blocks_across(&shape);

        paint_block(m, g, &shape, blocks[first + i], MARGIN + x * (block_width(&shape) + BLOCK_GAP),
                    PAGE_TOP + y * block_rows(&shape));
    }
}

bool matrix_has_latency(const struct measured *m)
{
    struct shape shape = shape_of(m);

    for (size_t cpu = 0; cpu < MEASURED_NODES_MAX; cpu++)
        for (size_t mem = 0; mem < MEASURED_NODES_MAX; mem++) {
            if (m->latency_ns[cpu][mem] > 0)
                return !is_one_pair(&shape);
        }
    return false;
}

void matrix_paint_latency(const struct measured *m, struct grid *g, unsigned row)
{
    struct shape shape = shape_of(m);

    paint_matrix_heading(m, g, row, "Idle latency, ns");
    paint_grid_of_nodes(m, g, &shape, MARGIN, row + 1);
    for (size_t y = 0; y < shape.down.n; y++)
        for (size_t x = 0; x < shape.across.n; x++) {
            size_t cpu = shape.down.at[y], mem = shape.across.at[x];

            paint_cell(g, MARGIN + LABEL + CELL * (unsigned)(x + 1), row + 2 + (unsigned)y,
                       cpu == mem, 1, m->latency_ns[cpu][mem]);
        }
}

const struct screen_section section_matrix = { .parts = matrix_parts, .paint = paint_matrix };
