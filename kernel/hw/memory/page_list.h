// SPDX-License-Identifier: MIT
/*
 * Whole pages of memory in the order in which they are used: where okram is, or could be.
 *
 * okram maps its memory page by page, so a place may be scattered: moving from one to another of
 * the same size takes each page to the one at the same distance from the beginning.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"
#include "lib/status.h"

/* Adjoining pages of a place; their number follows from the next run. */
struct place_run {
    uint64_t first;      /* page number */
    uint32_t before;     /* pages of the runs before this one */
    uint32_t by_address; /* of run[i]: which run is the i-th by address */
};

struct page_list {
    struct place_run *run; /* disjoint, in no order of addresses */
    size_t n, max;
    uint64_t bytes;
};

/* An empty place of at most max runs, which it keeps in `run`. */
void page_list_init(struct page_list *place, struct place_run *run, size_t max);

/* Makes it empty again. */
void page_list_clear(struct page_list *place);

/* STATUS_NO_SPACE: the runs do not fit in `to`, which is unchanged. */
enum status page_list_copy(struct page_list *to, const struct page_list *from);

/*
 * Adds whole pages after the others, joined with the last run where they adjoin. They must not be
 * part of the place yet. STATUS_NO_SPACE: there is no room for another run, and nothing was added.
 */
enum status page_list_add(struct page_list *place, struct span pages);

/* Run number i < n. */
struct span page_list_span(const struct page_list *place, size_t i);

/* The adjoining memory from offset bytes on, to the end of its run. offset < place->bytes. */
struct span page_list_at(const struct page_list *place, uint64_t offset);

/* How far from the beginning phys is. STATUS_NOT_FOUND: not in this place. */
enum status page_list_offset(const struct page_list *place, uint64_t phys, uint64_t *ret_offset);

/*
 * Cuts the place to its first `bytes` bytes (whole pages), and returns the rest in ret_rest, unless
 * that is NULL. STATUS_NO_SPACE: ret_rest has too little room, and nothing was changed.
 */
enum status page_list_truncate(struct page_list *place, uint64_t bytes, struct page_list *ret_rest);

/* Whether a page may be part of a place. */
typedef bool (*place_page_good)(void *ctx, uint64_t page_phys);

/* Where a place is looked for: in disjoint spans. */
struct page_search {
    const struct span *free;
    size_t n;
    place_page_good good;
    void *ctx;
};

/*
 * A place of `bytes` bytes (whole pages) there, of good pages only: the first that is one run of
 * adjoining pages; else one of several runs, as long as can be had, to half their length, down to
 * single pages. Looks at each page twice at most. STATUS_NOT_FOUND: there is none, or its runs do
 * not fit in ret_place, which may be changed.
 */
enum status page_list_find(const struct page_search *where, uint64_t bytes,
                           struct page_list *ret_place);

/*
 * Where all of okram is, or could be. Page tables are separate: when it moves they are not copied
 * unchanged.
 */
struct footprint {
    struct page_list data; /* the image first, then what was allocated */
    struct page_list tables;
};

/* STATUS_NO_SPACE: it was not copied. */
enum status footprint_copy(struct footprint *to, const struct footprint *from);

/* Whether a physical address is in a place, data or tables. */
bool footprint_holds(const struct footprint *place, uint64_t phys);
