// SPDX-License-Identifier: MIT
/*
 * What a picture of all RAM shows (picture/ram_picture.h): cells of equal size, node after node,
 * for the screen and for pages. Pure data.
 */
#pragma once

#include <stdint.h>

#include "lib/fmt.h"
#include "lib/status.h"

#define RAM_PICTURE_CELLS_MAX 512
#define RAM_PICTURE_NODES_MAX 64

/* What a cell shows. Of several that are true, the highest. */
enum ram_cell {
    RAM_CELL_UNTESTED, /* not tested yet */
    RAM_CELL_LEFT_OUT, /* this run tests none of it */
    RAM_CELL_TESTED,   /* all of it that this run tests was swept once or more */
    RAM_CELL_OKRAM,    /* okram is in it */
    RAM_CELL_SWEPT,    /* something of it was swept since the last look */
    RAM_CELL_BAD,      /* a bad page is in it */
};

struct ram_picture_node {
    uint32_t first_cell, n_cells;
};

/* What is shown: no pointers, may be copied. */
struct ram_view {
    uint64_t cell_bytes;
    uint32_t n_cells, n_nodes;
    struct ram_picture_node node[RAM_PICTURE_NODES_MAX];
    uint8_t cell[RAM_PICTURE_CELLS_MAX]; /* enum ram_cell */
};

/* The rows of `width` cells that n cells take. Each node begins a row. */
uint32_t ram_rows(uint32_t n, uint32_t width);

/* How many of the n cells are as the first one, before another kind begins; n is not 0. */
uint32_t ram_run(const uint8_t *cell, uint32_t n);

/*
 * The same picture of a node in `width` cells or fewer, each of several that adjoin: of these, bad,
 * swept, untested, okram's, tested, left out, the first that there is. Returns how many.
 */
uint32_t ram_view_narrow(const struct ram_view *view, struct ram_picture_node node, uint32_t width,
                         uint8_t *ret_cell);

/*
 * A node's cells as text, for a record: of each run of equal cells how many they are, if not one,
 * and a letter. "300t4oX-": 300 tested, four of okram's, a bad one, and one that was left out.
 */

/* Of the longest, with its end: all cells differ. */
#define RAM_CELLS_TEXT_SIZE (RAM_PICTURE_CELLS_MAX + 1)

/* . to do, t tested, - left out, o okram's, s being swept, X bad. */
void ram_cells_append(struct fmt_buffer *b, const struct ram_view *view,
                      struct ram_picture_node node);
