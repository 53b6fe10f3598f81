// SPDX-License-Identifier: MIT
/*
 * okram's own memory: its image, page tables, stacks, fault log, plans.
 *
 * The folder: arena.h allocates from a place (page_list.h has its pages, in the order of use),
 * which is split into groups in separate memory (groups.h); it takes untested memory first. nodes.h
 * has the NUMA nodes, pieces.h all RAM and what is tested of it.
 *
 * Memory is taken from free RAM between 1 MiB and 4 GiB, in chunks, which are tested first; pages
 * that fail are skipped, so it may be scattered down to single pages. It is mapped at ARENA_BASE,
 * one allocation after the other, page by page. Nothing is given back, and nothing more is taken
 * once it is fixed what is tested. All of it can move (self/move.h): virtual addresses do not
 * change. Boot CPU only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/spans.h"
#include "memory/groups.h"
#include "memory/page_list.h"

/* Pages of a chunk, and chunks that are tested at a time, at most. */
#define ARENA_CHUNK_PAGES 32
#define ARENA_CHUNKS_MAX  256

/* Tests n chunks of unused pages. ret_bad: for each, which pages are bad; bit 0 is the first. */
typedef void (*arena_check)(const struct span *chunk, size_t n, uint32_t *ret_bad);

/*
 * image_page: the number of each page of the loaded image. free: RAM, disjoint, the best first, in
 * which nothing but the image may be; copied. Allocations come after paging_init.
 */
void arena_init(const uint32_t *image_page, size_t n_image_pages, const struct span *free,
                size_t n_free, arena_check check);

/* The physical address of a page for arch/paging.h. */
uint64_t arena_table_page(void);

/* Zeroed, page-aligned. Panics, with a message for the user, if the machine has no more. */
void *arena_alloc(uint64_t bytes);

/* An empty set of at most max spans. */
static inline struct spans arena_alloc_spans(size_t max)
{
    return (struct spans){ .span = arena_alloc(max * sizeof(struct span)), .max = max };
}

/*
 * Like arena_alloc, for a group that must be elsewhere (memory/groups.h): in the first good pages
 * of the n preferred spans, above 4 GiB, too. What they have no room for is with the rest until
 * okram moves.
 */
void *arena_alloc_in(enum group group, uint64_t bytes, const struct span *preferred, size_t n);

/* A page below 1 MiB, not page 0, where other CPUs start; 0: there is none. It does not move. */
uint64_t arena_low_page(void);

/*
 * Pages that do not move, for devices that write to them: below 4 GiB, zeroed, adjoining where
 * possible. NULL: the machine does not have that many, and none are taken. Once.
 */
const struct page_list *arena_alloc_dma(uint64_t pages);

/* One page more that does not move: below 4 GiB, zeroed. 0: there is none. After arena_alloc_dma.
 */
uint64_t arena_fixed_page(void);

/* Those pages, and such; an empty place if there are none. */
const struct page_list *arena_fixed(void);

/*
 * From now on the rest of memory is under test: taking more of it would be a mistake, and panics.
 * What was taken and not used is given back, except some pages for tables.
 */
void arena_close(void);

/* The groups of the data, in the order of the data. */
const struct groups *arena_groups(void);

/*
 * Makes an empty place with room for another place of okram, in the arena. It allows for the last
 * allocations, which are still to come.
 */
void footprint_make(struct footprint *ret_place);

/* The runs for which such a place has room: one for each page, or the most that there may be. */
size_t footprint_runs(void);

/* Where okram lives now. */
const struct footprint *arena_footprint(void);

/* After okram has moved: each page to that at the same offset of `to`. */
void arena_moved(const struct footprint *to);
