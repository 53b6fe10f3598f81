/*
 * The memory okram itself lives in: its image, page tables, stacks, fault log, plans.
 *
 * Memory is taken from free RAM between 1 MiB and 4 GiB, first come first, after a check of its
 * own; pages that fail are passed over. It is seen at ARENA_BASE, one allocation behind the other,
 * page by page. Nothing is given back, and once what is tested has been fixed, nothing more is
 * taken. All of it can move (run/move.h): virtual addresses stay as they are. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"
#include "memory/groups.h"
#include "memory/place.h"

/*
 * Tests pages that nobody uses, and returns how many bytes from the base on are sound: all, or
 * whole pages up to the first that is not. Whoever tests keeps in mind which page that is.
 */
typedef uint64_t (*arena_check)(struct span pages);

/* Page tables stand apart: they are not copied as they are when okram moves. */
struct arena_place {
    struct place data; /* the image first, then what was allocated */
    struct place tables;
};

/*
 * image: where okram was loaded. free: RAM that nobody uses, disjoint, the best first; copied.
 * Allocations come after paging_init.
 */
void arena_init(struct span image, const struct span *free, size_t n_free, arena_check check);

/* The physical address of a page for arch/paging.h. */
uint64_t arena_table_page(void);

/* Zeroed, page-aligned. Panics, with a sentence for the user, when the machine has no more. */
void *arena_alloc(uint64_t bytes);

/*
 * The same for a group that is to lie elsewhere (memory/groups.h): in one piece within the first of
 * the n spans wished that has it free, above 4 GiB, too. Where none has, it lies with the rest
 * until okram moves.
 */
void *arena_alloc_in(enum group group, uint64_t bytes, const struct span *wished, size_t n);

/* A page below 1 MiB, not page 0, where other CPUs start; 0: there is none. It does not move. */
uint64_t arena_low_page(void);

/*
 * From now on the rest of memory is under test: taking more of it would be a mistake, and panics.
 * What was taken and not used is given back, but for some pages for tables.
 */
void arena_close(void);

/* What of the data, as it stands one behind the other, is of which group. */
const struct groups *arena_groups(void);

/* Where okram lives now. */
const struct arena_place *arena_where(void);

/* Whether a physical address is in a place, data or tables. */
bool arena_place_holds(const struct arena_place *place, uint64_t phys);

/* okram has moved: every page to the one that stands as far from the beginning of `to`. */
void arena_moved(const struct arena_place *to);

/* How often it has. */
uint32_t arena_moves(void);
