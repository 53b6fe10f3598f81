// SPDX-License-Identifier: MIT
#include "picture/ram_cells_text.h"

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
        for (run = 1; i + run < node.n_cells && cell[i + run] == cell[i];)
            run++;
        if (run > 1)
            fmt_append(b, "%u", run);
        fmt_append(b, "%c", letter[cell[i]]);
    }
}
