// SPDX-License-Identifier: MIT
/*
 * What the coverage bench counts: every row is one fault model, all instances of which a test has
 * to detect; every column of the table is a group of rows.
 */
#pragma once

#include <stdint.h>

#include "tests/coverage/primitive.h"

enum column {
    COLUMN_ONE_CELL,
    COLUMN_TWO_CELL,
    COLUMN_LINKED_NEAR, /* faults that hide each other, of one or two cells */
    COLUMN_LINKED_FAR,  /* of three */
    COLUMN_ANYWHERE,    /* all of these, at random places: the share of the places */
    COLUMN_DECODER,
    COLUMN_STUCK_OPEN,
    COLUMN_RETENTION,
    COLUMN_WORD, /* two bits of one 64-bit word */
    COLUMN_LINE, /* two bits of one 512-bit line */
    N_COLUMNS,
};

#define N_DECODER   4
#define N_RETENTION 2

struct column_rows {
    const char *title;
    uint32_t first, n;
};

/* Rows are numbered through the columns, primitives in the order of primitive_rows. */
extern const struct column_rows columns[N_COLUMNS];

#define ROW_ONE_CELL   0
#define ROW_TWO_CELL   N_ONE_CELL
#define ROW_LINKED     (ROW_TWO_CELL + N_TWO_CELL)
#define ROW_ANYWHERE   (ROW_LINKED + N_LINKED)
#define ROW_DECODER    (ROW_ANYWHERE + 1)
#define ROW_STUCK_OPEN (ROW_DECODER + N_DECODER)
#define ROW_RETENTION  (ROW_STUCK_OPEN + 1)
#define ROW_WORD       (ROW_RETENTION + N_RETENTION)
#define ROW_LINE       (ROW_WORD + N_WITHIN)
#define N_ROWS         (ROW_LINE + N_WITHIN)

/* The primitive of a row of columns one-cell, two-cell, word or line. */
const struct primitive_row *row_primitive(uint32_t row);

/* A row's name and notation, for people. */
void row_name(uint32_t row, char *ret_text, uint32_t size);
