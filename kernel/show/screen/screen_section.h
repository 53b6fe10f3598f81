// SPDX-License-Identifier: MIT
/*
 * What the pages consist of. A section says how many pages it takes on a grid with a given number
 * of rows, 0 while it has no data, and paints one of them: a heading in row PAGE_HEADING, and rows
 * from PAGE_TOP up to page_end().
 */
#pragma once

#include <stddef.h>

#include "screen/grid.h"
#include "screen/screen_layout.h"
#include "screen/screen_state.h"

enum {
    PAGE_HEADING = ROW_TITLE + 1,
    PAGE_TOP, /* the titles of columns, in lists */
    PAGE_LIST,
};

/* The row after a page's last one, on a grid of `rows` rows: it has the status. */
static inline unsigned page_end(unsigned rows)
{
    return rows - 2;
}

static inline unsigned page_rows(unsigned rows)
{
    return page_end(rows) - PAGE_TOP;
}

/* The last row is for what was left out. */
static inline unsigned page_list_rows(unsigned rows)
{
    return page_end(rows) - 1 - PAGE_LIST;
}

struct screen_section {
    size_t (*parts)(const struct screen_state *s, unsigned rows);
    void (*paint)(const struct screen_state *s, struct grid *g, size_t part);
    /* NULL, or makes what paint() needs; then the row of the status is the section's, too. */
    void (*prepare)(struct screen_state *s, size_t part);
};

extern const struct screen_section section_caches; /* and memory: as one CPU reads them */
extern const struct screen_section section_curve;  /* latency by size */
extern const struct screen_section section_matrix; /* bandwidth, node by node */
extern const struct screen_section section_triad;  /* by number of threads */
extern const struct screen_section section_read;   /* by number of threads */
extern const struct screen_section section_contention;
extern const struct screen_section section_loaded; /* latency by load */
extern const struct screen_section section_redundancy;
extern const struct screen_section section_warnings;
extern const struct screen_section section_diagnosis;    /* which module is bad */
extern const struct screen_section section_advice;       /* what to do next */
extern const struct screen_section section_excluded;     /* by a pass, in figures */
extern const struct screen_section section_modules;      /* of memory, and temperatures */
extern const struct screen_section section_support;      /* for a bug report */
extern const struct screen_section section_line_codes;   /* the badram line as QR codes */
extern const struct screen_section section_report_codes; /* a short report as QR codes */

/* Where sentences are painted, and which of their rows: those from `first` on. */
struct section_text {
    struct grid *g; /* NULL: rows are only counted */
    size_t row, first;
};

/* Each line of the text on rows of its own, and an empty row after the last. */
void section_put_text(struct section_text *t, uint8_t colour, const char *text);

/* How many pages n things take, of which `each` fit on one. */
size_t section_parts(size_t n, size_t each);

/* Says that a list of n, of which `kept` are available, is not complete; nothing when it is. */
void section_paint_left_out(struct grid *g, size_t n, size_t kept);

/* "%.1f" before the column end, or "-" for what was not measured, which is not above 0. */
void section_paint_figure(struct grid *g, unsigned end, unsigned row, uint8_t colour, double x);

/* The figure as a bar, scaled to the largest of its group, `most`. */
void section_paint_bar(struct grid *g, unsigned column, unsigned row, unsigned width, double x,
                       double most);

/* "12.3 %" before the column end; a high cost is highlighted. */
void section_paint_percent(struct grid *g, unsigned end, unsigned row, double percent);
