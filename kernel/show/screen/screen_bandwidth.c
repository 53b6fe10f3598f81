// SPDX-License-Identifier: MIT
#include "screen/screen_bandwidth.h"

#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "screen/screen_section.h"

static void receive_cache(struct screen_measured *m, const struct event_cache *c)
{
    if (m->n_caches < SCREEN_CACHES_MAX)
        m->cache[m->n_caches++] =
            (struct screen_cache){ c->level, c->size_bytes, c->mb_s.mean, c->ns.mean };
    else
        m->has_more = true;
}

/* The place in node[] of a proximity domain, or NODES_MAX. */
static size_t place_of(const struct screen_measured *m, uint32_t domain)
{
    size_t i = 0;

    while (i < m->n_nodes && m->node[i] != domain)
        i++;
    return i < m->n_nodes ? i : NODES_MAX;
}

/* The figure for one CPU has fewer threads; a node of one CPU has no other. */
static void receive_bandwidth(struct screen_measured *m, const struct event_bandwidth *b)
{
    size_t cpu = place_of(m, b->cpu_node), mem = place_of(m, b->mem_node);

    m->has_more |= b->order != NULL;
    if (b->order || cpu == NODES_MAX || mem >= SCREEN_NODES_MAX)
        return;
    for (int op = 0; op < STREAM_OPS; op++) {
        struct screen_rate *kept = &m->rate[op][cpu][mem];

        if (strcmp(b->op, stream_op_name((enum stream_op)op)) != 0)
            continue;
        if (b->threads >= kept->threads)
            *kept = (struct screen_rate){ b->mb_s.mean, b->threads };
        if (b->threads == 1)
            m->one_cpu_mb_s[op] = b->mb_s.mean;
    }
}

/* The last size of a pair of nodes is well beyond the caches; others are a curve. */
static void receive_latency(struct screen_measured *m, const struct event_latency *l)
{
    size_t cpu = place_of(m, l->cpu_node), mem = place_of(m, l->mem_node);
    bool idle = strcmp(l->load, "idle") == 0;

    if (!idle || cpu == NODES_MAX || mem >= SCREEN_NODES_MAX) {
        m->has_more |= !idle;
        return;
    }
    m->has_more |= m->ns[cpu][mem] > 0;
    m->ns[cpu][mem] = l->ns.mean;
}

static void receive_exchange(struct screen_measured *m, const struct event_cache_to_cache *c)
{
    size_t i = 0, is_modified = strcmp(c->state, "modified") == 0;

    m->has_more = true;
    while (i < m->n_exchanges && strcmp(m->exchange[i].share, c->share) != 0)
        i++;
    if (i == SCREEN_EXCHANGES_MAX)
        return;
    if (i == m->n_exchanges)
        string_copy(m->exchange[m->n_exchanges++].share, c->share, sizeof(m->exchange[i].share));
    if (!(m->exchange[i].ns[is_modified] > 0))
        m->exchange[i].ns[is_modified] = c->ns.mean;
}

static enum screen_busy busy_place(const struct event_contention *c)
{
    if (c->mem_node != c->load_mem_node)
        return BUSY_WITH_ITS_OWN;
    if (c->mem_node == c->cpu_node)
        return BUSY_WITH_LOCAL;
    return c->mem_node == c->load_node ? BUSY_WITH_REMOTE : BUSY_WITH_ANOTHER;
}

static void receive_contention(struct screen_measured *m, const struct event_contention *c)
{
    const struct event_contest *const found[SCREEN_CONTESTS] = { &c->read_mb_s, &c->write_mb_s,
                                                                 &c->ns };
    struct event_stats *kept = m->busy[busy_place(c)];

    for (size_t i = 0; i < SCREEN_CONTESTS; i++) {
        if (!kept[i].runs || found[i]->more_percent.mean > kept[i].mean)
            kept[i] = found[i]->more_percent;
    }
}

void screen_bandwidth_receive(struct screen_measured *m, const struct event *e)
{
    switch (e->type) {
    case EVENT_NODE:
        if (m->n_nodes < NODES_MAX)
            m->node[m->n_nodes++] = e->node.node;
        break;
    case EVENT_CACHE: receive_cache(m, &e->cache); break;
    case EVENT_BANDWIDTH: receive_bandwidth(m, &e->bandwidth); break;
    case EVENT_LATENCY: receive_latency(m, &e->latency); break;
    case EVENT_CACHE_TO_CACHE: receive_exchange(m, &e->cache_to_cache); break;
    case EVENT_CONTENTION:
        receive_contention(m, &e->contention);
        m->has_more = true;
        break;
    case EVENT_REDUNDANCY: m->has_more = true; break;
    default: break;
    }
}

#define LABEL     6 /* of a row: "node 0" is too wide for eight columns */
#define CELL_SIZE 8
#define BLOCK_GAP 2

/* Of matrices, in the order in which there is room for them. STREAM_OPS: idle latency. */
static const int figures[] = { STREAM_READ, STREAM_OPS, STREAM_WRITE, STREAM_COPY, STREAM_TRIAD };

#define N_FIGURES (sizeof(figures) / sizeof(figures[0]))

static double figure_of(const struct screen_measured *m, int what, size_t cpu, size_t mem)
{
    return what == STREAM_OPS ? m->ns[cpu][mem] : m->rate[what][cpu][mem].mb_s;
}

/* The nodes of a matrix, by their places in node[]: those with CPUs down, with memory across. */
struct places {
    size_t at[SCREEN_NODES_MAX], n;
};

struct shape {
    struct places down, across;
};

static bool is_measured(const struct screen_measured *m, size_t cpu, size_t mem)
{
    bool any = false;

    for (int what = 0; what <= STREAM_OPS; what++)
        any = any || figure_of(m, what, cpu, mem) > 0;
    return any;
}

static struct shape shape_of(const struct screen_measured *m)
{
    struct shape s = { 0 };

    for (size_t i = 0; i < SCREEN_NODES_MAX; i++) {
        bool has_cpus = false, has_memory = false;

        for (size_t k = 0; k < SCREEN_NODES_MAX; k++) {
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

static bool has_figures(const struct screen_measured *m, const struct shape *s, int what)
{
    bool any = false;

    for (size_t y = 0; y < s->down.n; y++)
        for (size_t x = 0; x < s->across.n; x++)
            any = any || figure_of(m, what, s->down.at[y], s->across.at[x]) > 0;
    return any;
}

static void paint_block(const struct screen_measured *m, struct grid *g, const struct shape *s,
                        int what, struct at at)
{
    if (what == STREAM_OPS)
        grid_print(g, at, HEADING, "idle latency, ns");
    else
        grid_print(g, at, HEADING, "%s, MB/s", stream_op_name((enum stream_op)what));
    for (size_t y = 0; y < s->down.n; y++) {
        unsigned row = at.row + 2 + (unsigned)y;

        grid_print_right(g, AT(at.column + LABEL - 1, row), DIM, "%u", m->node[s->down.at[y]]);
        for (size_t x = 0; x < s->across.n; x++) {
            size_t cpu = s->down.at[y], mem = s->across.at[x];
            unsigned end = at.column + LABEL + CELL_SIZE * (unsigned)(x + 1);

            grid_print_right(g, AT(end, at.row + 1), DIM, "%u", m->node[mem]);
            screen_paint_figure(g, AT(end, row), cpu == mem ? GOOD : STRONG, what == STREAM_OPS,
                                figure_of(m, what, cpu, mem));
        }
    }
}

/* Returns the row after the last. */
static unsigned paint_matrices(const struct screen_measured *m, struct grid *g,
                               const struct shape *s)
{
    unsigned width = LABEL + CELL_SIZE * (unsigned)s->across.n + BLOCK_GAP;
    unsigned height = 2 + (unsigned)s->down.n, row = PAGE_TOP, column = MARGIN;
    char note[64] = "rows: CPUs of a node, columns: memory";

    if (m->n_nodes > SCREEN_NODES_MAX)
        fmt_print(note, sizeof(note), "first %d of %zu nodes; rows: CPUs, columns: memory",
                  SCREEN_NODES_MAX, m->n_nodes);
    screen_paint_heading(g, PAGE_HEADING, "Bandwidth and latency", note);
    for (size_t i = 0; i < N_FIGURES && row + height <= page_end(g->rows); i++) {
        if (!has_figures(m, s, figures[i]))
            continue;
        paint_block(m, g, s, figures[i], AT(column, row));
        column += width;
        if (column + width - BLOCK_GAP > END) {
            column = MARGIN;
            row +=
                height + (row + 2 * height < page_end(g->rows)); /* an empty row, if it has room */
        }
    }
    return column == MARGIN ? row : row + height + 1;
}

static void paint_bar(struct grid *g, struct area area, double x, double most)
{
    grid_bar(g, area, x >= most ? 1 : x / most, GOOD, DIM);
}

/* One pair of nodes: a row for each op; columns for all CPUs and for one. */
static unsigned paint_table(const struct screen_measured *m, struct grid *g, const struct shape *s)
{
    enum { ALL = 19, ALL_BAR = 20, ONE = 56, ONE_BAR = 57, BAR_WIDTH = 22 };
    const size_t cpu = s->down.at[0], mem = s->across.at[0];
    unsigned row = PAGE_TOP + 1, threads = 1;
    double most = 0;
    bool has_one = false;

    for (int op = 0; op < STREAM_OPS; op++) {
        has_one = has_one || (m->one_cpu_mb_s[op] > 0 && m->rate[op][cpu][mem].threads > 1);
        most = figure_of(m, op, cpu, mem) > most ? figure_of(m, op, cpu, mem) : most;
        threads = (unsigned)max_u64(m->rate[op][cpu][mem].threads, threads);
    }
    screen_paint_heading(g, PAGE_HEADING, "Bandwidth", "MB/s");
    grid_print_right(g, AT(ALL, PAGE_TOP), DIM, "%u CPU%s", threads, fmt_plural(threads));
    if (has_one)
        grid_print_right(g, AT(ONE, PAGE_TOP), DIM, "1 CPU");
    for (int op = 0; op < STREAM_OPS; op++) {
        double all = figure_of(m, op, cpu, mem), one = m->one_cpu_mb_s[op];

        if (!(all > 0))
            continue;
        grid_print(g, AT(MARGIN, row), STRONG, "%s", stream_op_name((enum stream_op)op));
        screen_paint_figure(g, AT(ALL, row), STRONG, 1, all);
        paint_bar(g, AREA(ALL_BAR, row, BAR_WIDTH, 1), all, most);
        if (has_one) {
            screen_paint_figure(g, AT(ONE, row), STRONG, 1, one);
            paint_bar(g, AREA(ONE_BAR, row, BAR_WIDTH, 1), one, most);
        }
        row++;
    }
    if (m->ns[cpu][mem] > 0)
        grid_print(g, AT(MARGIN, row++), STRONG, "latency %10.1f ns", m->ns[cpu][mem]);
    return row + 1;
}

/* With a heading and the titles of its columns. Returns the row after the last. */
static unsigned paint_caches(const struct screen_measured *m, struct grid *g, unsigned row)
{
    enum { SIZE = 18, RATE = 30, RATE_BAR = 31, RATE_WIDTH = 22, NS = 63, NS_BAR = 64 };
    double most_mb_s = 0, most_ns = 0;

    for (size_t i = 0; i < m->n_caches; i++) {
        most_mb_s = m->cache[i].mb_s > most_mb_s ? m->cache[i].mb_s : most_mb_s;
        most_ns = m->cache[i].ns > most_ns ? m->cache[i].ns : most_ns;
    }
    screen_paint_heading(g, row++, "Caches and memory", "as one CPU reads them");
    grid_print_right(g, AT(SIZE, row), DIM, "size");
    grid_print_right(g, AT(RATE, row), DIM, "MB/s");
    grid_print_right(g, AT(NS, row), DIM, "ns");
    for (size_t i = 0; i < m->n_caches; i++) {
        const struct screen_cache *c = &m->cache[i];

        row++;
        if (c->level)
            grid_print(g, AT(MARGIN, row), STRONG, "L%u", c->level);
        else
            grid_print(g, AT(MARGIN, row), STRONG, "memory");
        grid_print_right(g, AT(SIZE, row), PLAIN, "%s", FMT_SIZE(c->size_bytes));
        screen_paint_figure(g, AT(RATE, row), STRONG, 1, c->mb_s);
        paint_bar(g, AREA(RATE_BAR, row, RATE_WIDTH, 1), c->mb_s, most_mb_s);
        screen_paint_figure(g, AT(NS, row), STRONG, 1, c->ns);
        if (most_ns > 0)
            paint_bar(g, AREA(NS_BAR, row, END - NS_BAR, 1), c->ns, most_ns);
    }
    return row + 1;
}

static void paint_exchanges(const struct screen_measured *m, struct grid *g, unsigned row)
{
    enum { CLEAN = 30, MODIFIED = 45 };

    screen_paint_heading(g, row, "Lines in another CPU's cache, ns", "by what both CPUs share");
    for (size_t i = 0; i < m->n_exchanges; i++) {
        grid_print(g, AT(MARGIN, ++row), STRONG, "%s", m->exchange[i].share);
        grid_print_right(g, AT(CLEAN, row), STRONG, "clean %.1f", m->exchange[i].ns[0]);
        grid_print_right(g, AT(MODIFIED, row), STRONG, "modified %.1f", m->exchange[i].ns[1]);
    }
}

/* Columns of reads, writes and latency, each with the deviation beside it. */
enum { BUSY_FIRST = 42, BUSY_WIDTH = 15, BUSY_DEVIATION = 7 };

static void paint_added(struct grid *g, unsigned row, const struct event_stats *added)
{
    for (unsigned i = 0; i < SCREEN_CONTESTS; i++) {
        unsigned end = BUSY_FIRST + i * BUSY_WIDTH;

        if (!added[i].runs)
            continue;
        grid_print_right(g, AT(end, row), STRONG, "%.1f", added[i].mean);
        if (added[i].runs > 1)
            grid_print_right(g, AT(end + BUSY_DEVIATION, row), DIM, "%.1f", added[i].stddev);
    }
}

static unsigned count_busy(const struct screen_measured *m)
{
    unsigned n = 0;

    for (size_t place = 0; place < BUSY_PLACES; place++)
        n += m->busy[place][0].runs > 0;
    return n;
}

/* What the same work takes more while the CPUs of another node are busy. */
static unsigned paint_busy(const struct screen_measured *m, struct grid *g, unsigned row)
{
    static const char *const contests[SCREEN_CONTESTS] = { "reads", "writes", "latency" };
    static const char *const places[BUSY_PLACES] = {
        [BUSY_WITH_ITS_OWN] = "local memory; they use theirs",
        [BUSY_WITH_LOCAL] = "local memory; they use it, too",
        [BUSY_WITH_REMOTE] = "their memory; they use it, too",
        [BUSY_WITH_ANOTHER] = "a node's without CPUs; so do they",
    };

    screen_paint_heading(g, row++, "Time added by a busy node, %",
                         "of the worst pair, and its deviation");
    for (unsigned i = 0; i < SCREEN_CONTESTS; i++)
        grid_print_right(g, AT(BUSY_FIRST + i * BUSY_WIDTH, row), DIM, "%s", contests[i]);
    for (size_t place = 0; place < BUSY_PLACES; place++) {
        if (!m->busy[place][0].runs)
            continue;
        grid_print(g, AT(MARGIN, ++row), STRONG, "%s", places[place]);
        paint_added(g, row, m->busy[place]);
    }
    return row + 1;
}

bool screen_bandwidth_exists(const struct screen_state *s)
{
    return s->measured.n_caches || shape_of(&s->measured).down.n;
}

void screen_bandwidth_paint(const struct screen_state *s, struct grid *g)
{
    const struct screen_measured *m = &s->measured;
    struct shape shape = shape_of(m);
    unsigned row = PAGE_HEADING;

    if (shape.down.n == 1 && shape.across.n == 1)
        row = paint_table(m, g, &shape);
    else if (shape.down.n)
        row = paint_matrices(m, g, &shape);
    if (m->n_caches && row + 2 + m->n_caches <= page_end(g->rows))
        row = paint_caches(m, g, row);
    if (count_busy(m) && row + 2 + count_busy(m) <= page_end(g->rows))
        row = paint_busy(m, g, row);
    if (m->n_exchanges && row + 1 + m->n_exchanges <= page_end(g->rows))
        paint_exchanges(m, g, row);
}
