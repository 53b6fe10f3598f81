// SPDX-License-Identifier: MIT
#include "tests/coverage/rows.h"

#include <stdio.h>

#include "lib/panic.h"

const struct column_rows columns[N_COLUMNS] = {
    [COLUMN_ONE_CELL] = { "1 cell", ROW_ONE_CELL, N_ONE_CELL },
    [COLUMN_TWO_CELL] = { "2 cells", ROW_TWO_CELL, N_TWO_CELL },
    [COLUMN_LINKED_NEAR] = { "linked", ROW_LINKED, N_LINKED_NEAR },
    [COLUMN_LINKED_FAR] = { "linked, 3 cells", ROW_LINKED + N_LINKED_NEAR, N_LINKED_FAR },
    [COLUMN_ANYWHERE] = { "linked anywhere, %", ROW_ANYWHERE, 1 },
    [COLUMN_DECODER] = { "AF", ROW_DECODER, N_DECODER },
    [COLUMN_STUCK_OPEN] = { "stuck open", ROW_STUCK_OPEN, 1 },
    [COLUMN_RETENTION] = { "retention", ROW_RETENTION, N_RETENTION },
    [COLUMN_WORD] = { "bits of a word", ROW_WORD, N_WITHIN },
    [COLUMN_LINE] = { "bits of a line", ROW_LINE, N_WITHIN },
};

static const char *const others[] = { "AF A", "AF B", "AF C", "AF D", "SOF", "DRF 0", "DRF 1" };

const struct primitive_row *row_primitive(uint32_t row)
{
    if (row < ROW_LINKED)
        return &primitive_rows[row];
    ASSERT(row >= ROW_WORD && row < N_ROWS);
    return &primitive_rows[N_ONE_CELL + N_TWO_CELL + (row - ROW_WORD) % N_WITHIN];
}

void row_name(uint32_t row, char *ret_text, uint32_t size)
{
    if (row >= ROW_DECODER && row < ROW_WORD) {
        snprintf(ret_text, size, "%s", others[row - ROW_DECODER]);
        return;
    }
    if (row >= ROW_LINKED && row < ROW_DECODER) {
        snprintf(ret_text, size, "%s",
                 row == ROW_ANYWHERE ? "linked" : linked_row(row - ROW_LINKED)->name);
        return;
    }
    snprintf(ret_text, size, "%s %s", row_primitive(row)->name, row_primitive(row)->notation);
}
