// SPDX-License-Identifier: MIT
#include "picture/ram_view.h"

#include <stdbool.h>

#include "lib/div_up.h"
#include "lib/string.h"

uint32_t ram_rows(uint32_t n, uint32_t width)
{
    return (uint32_t)div_up(n, width);
}

uint32_t ram_run(const uint8_t *cell, uint32_t n)
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

static bool find_cell(char c, uint8_t *ret_cell)
{
    for (uint8_t i = 0; i < sizeof(letter); i++) {
        if (letter[i] == c) {
            *ret_cell = i;
            return true;
        }
    }
    return false;
}

/* The digits at *text, 1 if there are none; 0: there cannot be as many. */
static uint32_t take_count(const char **text)
{
    uint32_t n = 0;

    if (**text < '0' || **text > '9')
        return 1;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        n = n * 10 + (uint32_t)(**text - '0');
        if (n > RAM_PICTURE_CELLS_MAX)
            return 0;
    }
    return n;
}

enum status ram_cells_read(const char *text, struct ram_view *view)
{
    uint32_t n = view->n_cells;

    if (view->n_nodes == RAM_PICTURE_NODES_MAX)
        return STATUS_NO_SPACE;
    while (*text) {
        uint32_t run = take_count(&text);
        uint8_t cell;

        if (!run || !find_cell(*text++, &cell))
            return STATUS_INVALID;
        if (run > RAM_PICTURE_CELLS_MAX - n)
            return STATUS_NO_SPACE;
        memset(view->cell + n, cell, run);
        n += run;
    }
    view->node[view->n_nodes++] = (struct ram_picture_node){ view->n_cells, n - view->n_cells };
    view->n_cells = n;
    return STATUS_OK;
}
