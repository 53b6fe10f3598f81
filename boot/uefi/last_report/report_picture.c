// SPDX-License-Identifier: MIT
#include "report_picture.h"

#include "lib/minmax.h"
#include "lib/string.h"
#include "options/number.h"
#include "picture/ram_cells_text.h"
#include "picture/ram_view.h"
#include "report_walk.h"
#include "saved/json_line.h"

#define COLUMNS 64u
#define CELL    12u /* all in units of the picture, of which a row of cells has 896 */
#define GAP     2u
#define PITCH   (CELL + GAP)
#define LEFT    76u /* of the cells; before them the node's number */
#define WIDTH   (LEFT + COLUMNS * PITCH)
#define TEXT    14u /* the letters' size */
#define LETTER  8u  /* how wide one is, about */
#define LEGEND  24u /* its height */

/* Told apart by their shapes, not by their colours alone. */
static const struct look {
    const char *name, *line; /* a line of dashes; of a bad page: of crosses */
} looks[] = {
    [RAM_CELL_TESTED] = { "tested", "stroke=\"#2a86c7\" stroke-width=\"12\" "
                                    "stroke-dasharray=\"12 2\"" },
    [RAM_CELL_SWEPT] = { "being tested", "stroke=\"#2a86c7\" stroke-width=\"6\" "
                                         "stroke-dasharray=\"12 2\"" },
    [RAM_CELL_UNTESTED] = { "not tested", "stroke=\"currentColor\" stroke-width=\"4\" "
                                          "stroke-dasharray=\"0 4 4 6\"" },
    [RAM_CELL_LEFT_OUT] = { "left out", "stroke=\"currentColor\" stroke-dasharray=\"0 1 10 3\"" },
    [RAM_CELL_OKRAM] = { "okram", "stroke=\"currentColor\" stroke-width=\"12\" "
                                  "stroke-dasharray=\"4 4 4 2\"" },
    [RAM_CELL_BAD] = { "bad page", "stroke=\"#d9480f\" stroke-width=\"4\"" },
};

#define N_LOOKS (sizeof(looks) / sizeof(looks[0]))

struct picture {
    struct ram_view ram;
    uint64_t node[RAM_PICTURE_NODES_MAX]; /* firmware's number of each */
    unsigned n[N_LOOKS];                  /* cells of each kind */
};

static bool read_number(const char *object, const char *key, uint64_t min, uint64_t *ret_value)
{
    char text[24];

    return json_line_value(object, key, text, sizeof(text)) &&
           number_parse(text, min, UINT64_MAX, ret_value);
}

static bool read_node(const char *object, struct picture *p)
{
    char cells[RAM_CELLS_TEXT_SIZE];
    uint64_t number;

    if (!read_number(object, "node", 0, &number) ||
        !json_line_value(object, "cells", cells, sizeof(cells)) ||
        ram_cells_read(cells, &p->ram) != STATUS_OK)
        return false;
    p->node[p->ram.n_nodes - 1] = number;
    return true;
}

/* Nothing of it is trusted. */
static bool read_picture(const char *line, struct picture *ret_picture)
{
    struct picture *p = ret_picture;
    const char *value, *end, *nodes = json_line_find(line, "nodes", &end);

    memset(p, 0, sizeof(*p));
    if (!nodes || *nodes != '[' || !read_number(line, "cell_bytes", 1, &p->ram.cell_bytes))
        return false;
    while (json_line_element(&nodes, &value, &end)) {
        if (!read_node(value, p))
            return false;
    }
    for (uint32_t i = 0; i < p->ram.n_cells; i++)
        p->n[p->ram.cell[i]]++;
    return p->ram.n_cells;
}

/* n cells of a kind, from this place on, in the middle of the row. */
static void append_marks(struct fmt_buffer *out, size_t kind, unsigned x, unsigned y, unsigned n)
{
    if (kind != RAM_CELL_BAD) {
        fmt_append(out, "M%u %uh%u", x, y, n * PITCH - GAP);
        return;
    }
    for (unsigned i = 0; i < n; i++)
        fmt_append(out, "M%u %ul12 12m0-12l-12 12", x + i * PITCH, y - CELL / 2);
}

/* Where the row of a node begins. */
static unsigned row_after(const struct picture *p, uint32_t node, unsigned y)
{
    return y + ram_rows(p->ram.node[node].n_cells, COLUMNS) * PITCH + GAP;
}

static void append_node(struct fmt_buffer *out, const struct picture *p, size_t kind, uint32_t node,
                        unsigned y)
{
    uint32_t n = p->ram.node[node].n_cells, run;
    const uint8_t *cell = p->ram.cell + p->ram.node[node].first_cell;

    for (uint32_t i = 0; i < n; i += run) {
        run = ram_run(cell + i, (uint32_t)min_u64(n - i, COLUMNS - i % COLUMNS));
        if (cell[i] == kind)
            append_marks(out, kind, LEFT + i % COLUMNS * PITCH, y + i / COLUMNS * PITCH + CELL / 2,
                         run);
    }
}

static void append_kind(struct fmt_buffer *out, const struct picture *p, size_t kind)
{
    unsigned y = GAP;

    fmt_append(out, "<path %s d=\"", looks[kind].line);
    for (uint32_t node = 0; node < p->ram.n_nodes; node++) {
        append_node(out, p, kind, node, y);
        y = row_after(p, node, y);
    }
    fmt_append(out, "\"/>\n");
}

static void append_legend(struct fmt_buffer *out, const struct picture *p, unsigned y)
{
    unsigned x = LEFT;

    for (size_t i = 0; i < N_LOOKS; i++) {
        if (!p->n[i])
            continue;
        fmt_append(out, "<path %s d=\"", looks[i].line);
        append_marks(out, i, x, y, 1);
        fmt_append(out, "\"/><text x=\"%u\" y=\"%u\">%s</text>\n", x + PITCH + GAP,
                   y + CELL / 2 - 1, looks[i].name);
        x += 3 * PITCH + (unsigned)strlen(looks[i].name) * LETTER;
    }
}

/* In words: "300 cells tested, 1 cell bad page". */
static void append_description(struct fmt_buffer *out, const struct picture *p)
{
    const char *between = "";

    for (size_t i = 0; i < N_LOOKS; i++) {
        if (!p->n[i])
            continue;
        fmt_append(out, "%s%u cell%s %s", between, p->n[i], fmt_plural(p->n[i]), looks[i].name);
        between = ", ";
    }
}

static void append_svg(struct fmt_buffer *out, const struct picture *p)
{
    unsigned y = GAP, height = GAP + LEGEND;

    for (uint32_t i = 0; i < p->ram.n_nodes; i++)
        height = row_after(p, i, height);
    fmt_append(out,
               "<svg viewBox=\"0 0 %u %u\" font-size=\"%u\" fill=\"currentColor\" role=\"img\" "
               "aria-label=\"",
               WIDTH, height, TEXT);
    append_description(out, p);
    fmt_append(out, "\">\n");
    for (uint32_t i = 0; i < p->ram.n_nodes; i++) {
        fmt_append(out, "<text x=\"0\" y=\"%u\">node %llu</text>\n", y + CELL - 1,
                   (unsigned long long)p->node[i]);
        y = row_after(p, i, y);
    }
    for (size_t i = 0; i < N_LOOKS; i++) {
        if (p->n[i])
            append_kind(out, p, i);
    }
    append_legend(out, p, y + LEGEND / 2);
    fmt_append(out, "</svg>\n");
}

void report_append_picture(const struct saved_report *report, struct fmt_buffer *out)
{
    const char *line = report_walk_last(report, "picture");
    struct picture p;

    if (!line || !read_picture(line, &p))
        return;
    fmt_append(out, "<h2>All RAM, %s a cell</h2>\n", FMT_SIZE(p.ram.cell_bytes));
    append_svg(out, &p);
}
