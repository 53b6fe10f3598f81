// SPDX-License-Identifier: MIT
#include "screen/screen_picture.h"

#include "lib/div_up.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "screen/screen_section.h"

#define NAME             4 /* columns of a node's number, or of the strip's label */
#define CHANNEL_ROWS_MAX 4
#define PLACE_MAX        20 /* characters of a module's place in the heading */

/* Told apart by their shapes, not by their colours alone. */
static const struct look {
    uint8_t code, colour;
    const char *name;
} looks[] = {
    [RAM_CELL_TESTED] = { GLYPH_SQUARE, GOOD, "done" },
    [RAM_CELL_SWEPT] = { GLYPH_FULL, STRONG, "now" },
    [RAM_CELL_UNTESTED] = { GLYPH_DOT, PLAIN, "to do" },
    [RAM_CELL_OKRAM] = { 'o', HEADING, "okram" },
    [RAM_CELL_LEFT_OUT] = { '-', DIM, "left out" },
    [RAM_CELL_BAD] = { 'X', BAD, "bad" },
};

#define N_LOOKS (sizeof(looks) / sizeof(looks[0]))

/* In rows of that width. */
static void paint_cells(struct grid *g, struct at at, unsigned width, const uint8_t *cell, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct look *look = &looks[cell[i]];

        grid_fill(g, AREA(at.column + (unsigned)(i % width), at.row + (unsigned)(i / width), 1, 1),
                  CELL(look->code, look->colour));
    }
}

/* Cells that are joined into one, so that all nodes fit in these rows; 0: they never do. */
static uint32_t joined(const struct ram_view *ram, unsigned width, size_t rows)
{
    for (uint32_t each = 1; each <= RAM_PICTURE_CELLS_MAX; each *= 2) {
        size_t used = 0;

        for (uint32_t i = 0; i < ram->n_nodes; i++)
            used += ram_rows((uint32_t)div_up(ram->node[i].n_cells, each), width);
        if (used <= rows)
            return each;
    }
    return 0;
}

/* Below the legend: in which module or channel faults are. */
static size_t legend_rows(const struct screen_state *s, unsigned columns)
{
    return 1 + min_u64(grid_wrapped_rows(s->by_channel, columns), CHANNEL_ROWS_MAX);
}

size_t screen_picture_rows(const struct screen_state *s, unsigned columns)
{
    size_t rows = legend_rows(s, columns);

    if (!s->ram.n_cells || s->has_result || columns <= NAME)
        return 0;
    for (uint32_t i = 0; i < s->ram.n_nodes; i++)
        rows += ram_rows(s->ram.node[i].n_cells, columns - NAME);
    return rows;
}

/* Two columns between its words where there is room for that. */
static unsigned legend_gap(unsigned width)
{
    size_t used = 2 * (N_LOOKS - 1);

    for (size_t i = 0; i < N_LOOKS; i++)
        used += 2 + strlen(looks[i].name);
    return used <= width ? 2 : 1;
}

static void paint_legend(struct grid *g, unsigned column, unsigned row, unsigned end)
{
    unsigned gap = legend_gap(end - column);

    for (size_t i = 0; i < N_LOOKS; i++) {
        grid_fill(g, AREA(column, row, 1, 1), CELL(looks[i].code, looks[i].colour));
        column += 2 + gap +
                  grid_text(g, AT(column + 2, row), end > column + 2 ? end - column - 2 : 0, PLAIN,
                            looks[i].name);
    }
}

/* Cells are of one module only if there is but one: others alternate within every cell. */
static void name_picture(const struct screen_state *s, char *title, size_t size)
{
    const struct modules *m = s->modules;
    char place[SMBIOS_NAME_SIZE] = "";

    if (m && m->n == 1 && !m->n_others && m->module[0].slot)
        module_place(&m->module[0], place);
    if (*place && strlen(place) <= PLACE_MAX)
        fmt_print(title, size, "All RAM: %s", place);
    else
        string_copy(title, "All RAM", size);
}

void screen_picture_paint(const struct screen_state *s, struct grid *g, struct area area)
{
    const struct ram_view *ram = &s->ram;
    unsigned width = area.columns - NAME, row = area.row + 1;
    unsigned legend = (unsigned)min_u64(legend_rows(s, area.columns), area.rows - 2);
    uint32_t each = joined(ram, width, area.rows - 1 - legend);
    char note[40], title[32];

    fmt_print(note, sizeof(note), "%s each", FMT_SIZE(ram->cell_bytes * max_u64(each, 1)));
    name_picture(s, title, sizeof(title));
    screen_paint_heading_in(g, area, title, note);
    for (uint32_t i = 0; each && i < ram->n_nodes; i++) {
        uint8_t cell[RAM_PICTURE_CELLS_MAX];
        uint32_t wide = (uint32_t)div_up(ram->node[i].n_cells, each);
        uint32_t n = wide ? ram_view_narrow(ram, ram->node[i], wide, cell) : 0;

        if (n && ram->n_nodes > 1 && i < SCREEN_NODES_MAX)
            grid_print_right(g, AT(area.column + NAME - 1, row), PLAIN, "%u", s->node[i].node);
        paint_cells(g, AT(area.column + NAME, row), width, cell, n);
        row += ram_rows(n, width);
    }
    row = area.row + area.rows - legend;
    paint_legend(g, area.column, row, area.column + area.columns);
    screen_paint_wrapped(g, AREA(area.column, row + 1, area.columns, legend - 1), BAD,
                         s->by_channel);
}

void screen_picture_paint_strip(const struct screen_state *s, struct grid *g, unsigned row)
{
    const struct ram_view *ram = &s->ram;
    const unsigned gaps = ram->n_nodes ? ram->n_nodes - 1 : 0;
    unsigned column = MARGIN + NAME, width = WIDTH - NAME - gaps;

    if (!ram->n_cells || gaps >= WIDTH / 2)
        return;
    grid_text(g, AT(MARGIN, row), NAME, DIM, "RAM");
    for (uint32_t i = 0; i < ram->n_nodes; i++) {
        unsigned share = ram->node[i].n_cells * width / ram->n_cells;
        uint8_t cell[RAM_PICTURE_CELLS_MAX];
        uint32_t n = share ? ram_view_narrow(ram, ram->node[i], share, cell) : 0;

        paint_cells(g, AT(column, row), WIDTH, cell, n);
        column += n + 1;
    }
}
