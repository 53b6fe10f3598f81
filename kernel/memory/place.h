/*
 * Whole pages of memory in the order in which they are used: where okram lives, and where it could.
 *
 * okram maps its memory page by page, so a place may be scattered: moving from one to another of
 * the same size takes each page to the one that stands as far from the beginning.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"
#include "lib/status.h"

#define PLACE_SPANS_MAX 256

struct place {
    struct span span[PLACE_SPANS_MAX]; /* whole pages, disjoint, in no order of addresses */
    size_t n;
    uint64_t bytes;
};

/*
 * Adds whole pages behind the others, joined with the last span where they adjoin.
 * STATUS_NO_SPACE: there are PLACE_SPANS_MAX spans, nothing was added.
 */
enum status place_add(struct place *place, struct span pages);

/* The adjoining memory from offset bytes on, to the end of its span. offset < place->bytes. */
struct span place_at(const struct place *place, uint64_t offset);

/* How far from the beginning phys lies. STATUS_NOT_FOUND: not in this place. */
enum status place_offset(const struct place *place, uint64_t phys, uint64_t *ret_offset);

/* Gives up what lies bytes or more (whole pages) from the beginning, and returns it in ret_rest. */
void place_cut(struct place *place, uint64_t bytes, struct place *ret_rest);

/* Whether a page may be part of a place. */
typedef bool (*place_page_good)(void *ctx, uint64_t page_phys);

/*
 * A place of so many bytes (whole pages) within the n spans given, of good pages only: the first
 * that is one run of adjoining pages; else one of several runs, as long as can be had.
 * STATUS_NOT_FOUND: there is none, or it would be more scattered than PLACE_SPANS_MAX.
 */
enum status place_find(const struct span *free, size_t n, uint64_t bytes, place_page_good good,
                       void *ctx, struct place *ret_place);
