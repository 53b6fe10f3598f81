// SPDX-License-Identifier: MIT
/*
 * A picture of all RAM for a screen: cells of equal size, node after node, each with what is known
 * of its memory. CPUs say what they have swept; one reader makes the picture of it now and then.
 *
 * The RAM of a node is counted on across the gaps between its spans, and each node begins a cell of
 * its own. For example, 3 GiB of node 0 at 0, 1 GiB of it at 4 GiB, and 4 GiB of node 1 at 5 GiB,
 * with cells of 16 MiB: address 4 GiB is in cell 192, address 5 GiB in cell 256.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fmt.h"
#include "lib/span.h"
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

#define RAM_PICTURE_CELL_MIN (UINT64_C(1) << 20) /* bytes */

/* RAM of a node. offset: of its first byte among the bytes of the node. */
struct ram_picture_span {
    struct span span;
    uint32_t node;
    uint64_t offset;
};

struct ram_picture {
    struct ram_picture_span *span; /* by address */
    size_t n_spans;
    struct ram_view view;
    uint64_t to_test[RAM_PICTURE_CELLS_MAX]; /* bytes of the cell that the run tests */
    uint64_t seen[RAM_PICTURE_CELLS_MAX];    /* of `swept`, at the last look */
    bool okram[RAM_PICTURE_CELLS_MAX], bad[RAM_PICTURE_CELLS_MAX];
    _Atomic uint64_t swept[RAM_PICTURE_CELLS_MAX]; /* bytes, each as often as it was swept */
};

/*
 * The spans are all RAM, sorted and disjoint, each with its node (below RAM_PICTURE_NODES_MAX);
 * offsets are filled in. A cell has the fewest bytes, a power of two, with which all nodes together
 * have RAM_PICTURE_CELLS_MAX cells at most. Nothing is to be tested yet. p keeps `span`.
 */
void ram_picture_init(struct ram_picture *p, struct ram_picture_span *span, size_t n);

/* The run tests this. */
void ram_picture_test(struct ram_picture *p, struct span span);

/* A CPU has swept this. For all CPUs; what is not RAM does not count. */
void ram_picture_swept(struct ram_picture *p, struct span span);

/* okram is there; and it is nowhere, before it is marked anew. */
void ram_picture_mark_okram(struct ram_picture *p, struct span span);
void ram_picture_unmark_okram(struct ram_picture *p);

/* There is a bad page in it, and will be. */
void ram_picture_mark_bad(struct ram_picture *p, struct span span);

/*
 * Brings p->view up to date. While nothing was swept since the last look, the cells that were swept
 * before that look stay so: sweeps of slow machines last longer than the time between two looks.
 */
void ram_picture_look(struct ram_picture *p);

/* At the end: nothing is being swept any more. p->view then stays. */
void ram_picture_finish(struct ram_picture *p);
