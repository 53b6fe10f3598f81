// SPDX-License-Identifier: MIT
/*
 * Blocks of rows of which the main page and that of results are made, and the result in words
 * (screen_verdict.c).
 */
#pragma once

#include "display/grid.h"
#include "screen/screen_section.h"
#include "screen/screen_state.h"

struct screen_verdict {
    const char *big; /* "PASS", "BAD MODULE FOUND", in large letters */
    uint8_t colour;
    char what[400]; /* "FAIL: 2 bad pages, ..." */
    char kind[900]; /* of fault, and which chip or channel, or "" */
    char tested[120], untested[700];
    char excluded[400]; /* what a pass excludes, or "" */
    const char *advice; /* what to do next; the state's */
    /*
     * Instead of it, where there is little room: what a guided diagnosis asks for, in a row; and
     * options of its next run that a person has to type. Or "".
     */
    char advice_short[130], options[sizeof(((struct diagnosis_record *)0)->words) + 40];
    char kept[200]; /* where the report is, or "" */
};

/* There must be a result. */
void screen_verdict_make(const struct screen_state *s, struct screen_verdict *ret_verdict);

enum { ROW_CPU = ROW_TITLE + 1, ROW_MEMORY };

/* The rows of a block above its list: a heading, and for errors their counts. */
#define ERROR_ROWS 2

/* The first three rows. */
void screen_paint_machine(const struct screen_state *s, struct grid *g);

/*
 * The date, the machine, its board and its modules on up to so many rows: with fewer, less of it.
 * Returns how many rows it took; 0: nothing is known. Without a grid rows are only counted.
 */
unsigned screen_paint_about(const struct screen_state *s, struct grid *g, unsigned row,
                            unsigned rows);

/* From that row on, with the newest faults or the titles of their columns in n_faults rows. */
void screen_paint_errors(const struct screen_state *s, struct grid *g, unsigned row,
                         unsigned n_faults);

/* How many rows the badram line takes, or what is in its place. */
size_t screen_line_rows(const struct screen_state *s);

/* How many screenfuls that is on so many rows, at least 1. */
size_t screen_line_parts(const struct screen_state *s, unsigned rows);

/* A heading in that row, and the visible part of the line in n_rows below. */
void screen_paint_line(const struct screen_state *s, struct grid *g, unsigned row, unsigned n_rows);

/* How many rows all warnings take. */
size_t screen_warning_rows(const struct screen_state *s);

void screen_paint_warnings(const struct screen_state *s, struct grid *g, unsigned row,
                           unsigned n_rows);
