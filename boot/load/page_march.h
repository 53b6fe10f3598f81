// SPDX-License-Identifier: MIT
/*
 * A quick test of memory that the kernel is to be loaded to: March C- (van de Goor, "Testing
 * Semiconductor Memories", 1991) over the background 0101…, and its upward elements over bits all
 * alike and over data made of each line's address, which finds lines that share cells. Each line is
 * flushed from the caches after each turn, so all operations reach DRAM.
 *
 * A minimal form of the sweep engine, small enough for the stub, and the same in 32-bit and in
 * 64-bit code. Needs SSE2. Pure.
 */
#pragma once

#include <stdbool.h>

#include "boot/load/pages.h"

/*
 * Tests n pages in the order given, whose content is lost, and sets PAGE_IS_BAD in the numbers of
 * those that are bad. Returns how many.
 */
uint32_t page_march(uint32_t *page, uint32_t n);

/* Tests a single page: whether it is bad. */
bool page_march_one(void *page);

/* Writes data made of its address to the page, flushed. */
void page_march_tag(uint32_t page);

/* Whether it is what page_march_tag wrote. */
bool page_march_has_tag(uint32_t page);

/* Takes the bytes out of all caches: what is read next comes from DRAM. */
void page_march_flush(const void *pages, uint64_t bytes);
