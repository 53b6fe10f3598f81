// SPDX-License-Identifier: MIT
#include "picture/ram_picture.h"

#include "lib/div_up.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/status.h"
#include "lib/string.h"

uint32_t ram_rows(uint32_t n, uint32_t width)
{
    return (uint32_t)div_up(n, width);
}

/* How many of the n cells are as the first one, before another kind begins; n is not 0. */
static uint32_t ram_run(const uint8_t *cell, uint32_t n)
{
    uint32_t run = 1;

    while (run < n && cell[run] == cell[0])
        run++;
    return run;
}

/* The lower, the more it matters where several cells become one. */
static const uint8_t rank[] = {
    [RAM_CELL_BAD] = 0,   [RAM_CELL_SWEPT] = 1,  [RAM_CELL_UNTESTED] = 2,
    [RAM_CELL_OKRAM] = 3, [RAM_CELL_TESTED] = 4, [RAM_CELL_LEFT_OUT] = 5,
};

uint32_t ram_view_narrow(const struct ram_view *view, struct ram_picture_node node, uint32_t width,
                         uint8_t *ret_cell)
{
    uint32_t each = ram_rows(node.n_cells, width), n = 0;

    for (uint32_t i = 0; i < node.n_cells; i++) {
        uint8_t cell = view->cell[node.first_cell + i];

        if (i % each == 0)
            ret_cell[n++] = cell;
        else if (rank[cell] < rank[ret_cell[n - 1]])
            ret_cell[n - 1] = cell;
    }
    return n;
}

static const char letter[] = {
    [RAM_CELL_UNTESTED] = '.', [RAM_CELL_LEFT_OUT] = '-', [RAM_CELL_TESTED] = 't',
    [RAM_CELL_OKRAM] = 'o',    [RAM_CELL_SWEPT] = 's',    [RAM_CELL_BAD] = 'X',
};

void ram_cells_append(struct fmt_buffer *b, const struct ram_view *view,
                      struct ram_picture_node node)
{
    const uint8_t *cell = view->cell + node.first_cell;
    uint32_t run;

    for (uint32_t i = 0; i < node.n_cells; i += run) {
        run = ram_run(cell + i, node.n_cells - i);
        if (run > 1)
            fmt_append(b, "%u", run);
        fmt_append(b, "%c", letter[cell[i]]);
    }
}

/* Sets each span's offset. Returns how many nodes there are, and the bytes of each. */
static uint32_t measure_nodes(struct ram_picture *p, uint64_t bytes[RAM_PICTURE_NODES_MAX])
{
    uint32_t n = 0;

    memset(bytes, 0, RAM_PICTURE_NODES_MAX * sizeof(*bytes));
    for (size_t i = 0; i < p->n_spans; i++) {
        struct ram_picture_span *s = &p->span[i];

        s->offset = bytes[s->node];
        bytes[s->node] += s->span.size;
        n = (uint32_t)max_u64(n, s->node + 1);
    }
    return n;
}

static uint64_t count_cells(const uint64_t *bytes, uint32_t n_nodes, uint64_t cell_bytes)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < n_nodes; i++)
        n += div_up(bytes[i], cell_bytes);
    return n;
}

void ram_picture_init(struct ram_picture *p, struct ram_picture_span *span, size_t n)
{
    uint64_t bytes[RAM_PICTURE_NODES_MAX];
    struct ram_view *view = &p->view;

    memset(p, 0, sizeof(*p));
    p->span = span;
    p->n_spans = n;
    view->n_nodes = measure_nodes(p, bytes);
    view->cell_bytes = RAM_PICTURE_CELL_MIN;
    while (count_cells(bytes, view->n_nodes, view->cell_bytes) > RAM_PICTURE_CELLS_MAX)
        view->cell_bytes *= 2;
    for (uint32_t i = 0; i < view->n_nodes; i++) {
        view->node[i].first_cell = view->n_cells;
        view->node[i].n_cells = (uint32_t)div_up(bytes[i], view->cell_bytes);
        view->n_cells += view->node[i].n_cells;
    }
    ram_picture_look(p);
}

/* The first span that ends after addr, or n_spans. */
static size_t find_span(const struct ram_picture *p, uint64_t addr)
{
    size_t low = 0, high = p->n_spans;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (span_end(p->span[middle].span) - 1 < addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Calls visit for each cell that the span meets, with the bytes in it. */
static void walk(struct ram_picture *p, struct span span,
                 void (*visit)(struct ram_picture *p, uint64_t cell, uint64_t bytes))
{
    for (size_t i = find_span(p, span.base); i < p->n_spans; i++) {
        const struct ram_picture_span *s = &p->span[i];
        struct span part = span_intersect(s->span, span);
        uint64_t at = part.base - s->span.base + s->offset, left = part.size;

        if (!left)
            return;
        while (left) {
            uint64_t bytes = min_u64(left, p->view.cell_bytes - at % p->view.cell_bytes);

            visit(p, p->view.node[s->node].first_cell + at / p->view.cell_bytes, bytes);
            at += bytes;
            left -= bytes;
        }
    }
}

static void add_to_test(struct ram_picture *p, uint64_t cell, uint64_t bytes)
{
    p->to_test[cell] += bytes;
}

static void add_swept(struct ram_picture *p, uint64_t cell, uint64_t bytes)
{
    atomic_fetch_add_explicit(&p->swept[cell], bytes, memory_order_relaxed);
}

static void mark_okram(struct ram_picture *p, uint64_t cell, uint64_t bytes)
{
    p->okram[cell] = true;
}

static void mark_bad(struct ram_picture *p, uint64_t cell, uint64_t bytes)
{
    p->bad[cell] = true;
}

void ram_picture_test(struct ram_picture *p, struct span span)
{
    walk(p, span, add_to_test);
}

void ram_picture_swept(struct ram_picture *p, struct span span)
{
    walk(p, span, add_swept);
}

void ram_picture_unmark_okram(struct ram_picture *p)
{
    memset(p->okram, 0, sizeof(p->okram));
}

void ram_picture_mark_okram(struct ram_picture *p, struct span span)
{
    walk(p, span, mark_okram);
}

void ram_picture_mark_bad(struct ram_picture *p, struct span span)
{
    walk(p, span, mark_bad);
}

/* Whether anything was swept since the last look. */
static bool has_news(const struct ram_picture *p)
{
    for (uint32_t i = 0; i < p->view.n_cells; i++) {
        if (atomic_load_explicit(&p->swept[i], memory_order_relaxed) != p->seen[i])
            return true;
    }
    return false;
}

static enum ram_cell cell_now(const struct ram_picture *p, uint32_t i, uint64_t swept, bool is_news)
{
    bool is_swept = is_news ? swept != p->seen[i] : p->view.cell[i] == RAM_CELL_SWEPT;

    if (p->bad[i])
        return RAM_CELL_BAD;
    if (is_swept)
        return RAM_CELL_SWEPT;
    if (p->okram[i])
        return RAM_CELL_OKRAM;
    if (p->to_test[i] && swept >= p->to_test[i])
        return RAM_CELL_TESTED;
    return p->to_test[i] ? RAM_CELL_UNTESTED : RAM_CELL_LEFT_OUT;
}

void ram_picture_look(struct ram_picture *p)
{
    bool is_news = has_news(p);

    for (uint32_t i = 0; i < p->view.n_cells; i++) {
        uint64_t swept = atomic_load_explicit(&p->swept[i], memory_order_relaxed);

        p->view.cell[i] = (uint8_t)cell_now(p, i, swept, is_news);
        p->seen[i] = swept;
    }
}

void ram_picture_finish(struct ram_picture *p)
{
    for (uint32_t i = 0; i < p->view.n_cells; i++) {
        uint64_t swept = atomic_load_explicit(&p->swept[i], memory_order_relaxed);

        p->seen[i] = swept;
        p->view.cell[i] = (uint8_t)cell_now(p, i, swept, true);
    }
}
