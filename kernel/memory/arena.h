/*
 * The memory okram itself lives in, apart from its image: page tables, stacks, fault log, plans.
 *
 * Physical chunks are taken from free RAM between 1 MiB and 4 GiB, lowest first, and seen at
 * ARENA_BASE one behind the other. Nothing is given back, and once what is tested has been fixed,
 * nothing more is taken. Boot CPU only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"

/* free: RAM that nobody uses, sorted and disjoint; copied. Allocations come after paging_init. */
void arena_init(const struct span *free, size_t n_free);

/* The physical address of a page for arch/paging.h. */
uint64_t arena_table_page(void);

/* Zeroed, page-aligned. Panics, with a sentence for the user, when the machine has no more. */
void *arena_alloc(uint64_t bytes);

/* A page below 1 MiB, not page 0, where other CPUs start; 0: there is none. */
uint64_t arena_low_page(void);

/* All that was taken so far, unordered. */
size_t arena_spans(const struct span **ret_spans);

/* From now on the rest of memory is under test: taking more of it would be a mistake, and panics.
 */
void arena_close(void);
