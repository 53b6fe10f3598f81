// SPDX-License-Identifier: MIT
/*
 * In which order chosen lines are worked on, as element_run and the engine have it: noted for each
 * element, and each time okram moves. One thread does the work of all CPUs; what the steps and the
 * windows leave open is in no order, whatever that thread does first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calibration/selection.h"
#include "sweep/march.h"
#include "testing/two_cells.h"

#define ORDER_LINES_MAX  512
#define ORDER_EVENTS_MAX 256

/* The operations of an element on a line. */
struct order_turn {
    bool is_done;
    const void *part; /* of a worker */
    uint32_t step;    /* of the part */
    uint32_t run;     /* of lines, one after the other */
    int64_t at;       /* in the run's order */
    uint64_t window;  /* lines that are closer in the run are in no order */
};

/* An element, or a move: then what was in okram's places, the old and the new one, is lost. */
struct order_event {
    bool is_move;
    uint32_t n_ops;
    struct march_op op[MARCH_OPS_MAX];
    uint32_t ahead; /* steps that are fewer apart are in no order */
    struct order_turn turn[ORDER_LINES_MAX];
    bool is_lost[ORDER_LINES_MAX];
};

extern struct order_notes {
    uint64_t line[ORDER_LINES_MAX]; /* addresses, sorted, before the run */
    size_t n_lines;
    struct order_event event[ORDER_EVENTS_MAX];
    size_t n_events;
} order_notes;

/* Before the run: its line operations are noted, with lanes if they are faster. */
void fake_order_begin(struct selection *selection, bool has_lanes);

/* How an element does two of the lines. */
enum order_of_two order_of_two(const struct order_event *e, size_t first, size_t second);
