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
