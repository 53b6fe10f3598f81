// SPDX-License-Identifier: MIT
/*
 * Latency by a pointer chase: every line holds the address of the next one, so no load can start
 * before the one before it has ended, and their order is random, so no prefetcher can guess it
 * (lat_mem_rd: L. McVoy and C. Staelin, "lmbench: Portable Tools for Performance Analysis", 1996).
 * The chain is one cycle through all lines (S. Sattolo, "An algorithm to generate a random cyclic
 * permutation", 1986), built in the very memory under test and in nothing else.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which lines of the memory are in a chain. */
enum chase_lines {
    CHASE_EVERY_LINE,
    /*
     * One line of each page of 4 KiB, anywhere in the page but in the first: prefetchers stay in a
     * page, so they never fetch another line of the chain, even one that a cache could keep for its
     * turn. The lines spread over all sets of a cache.
     */
    CHASE_LINE_A_PAGE,
};

/* How many those are in so many bytes. */
uint64_t chase_count(uint64_t bytes, enum chase_lines lines);

/*
 * Writes a chain over lines of [base, base + bytes), in random order. base is line-aligned and in
 * the chain; bytes is a whole number of lines, or of pages, not 0. The same seed gives the same
 * chain.
 */
void chase_build(void *base, size_t bytes, enum chase_lines lines, uint64_t seed);

/*
 * Whether each line of the chain holds the address of one of its lines: faulty memory may hold
 * others, and who followed the chain would come anywhere. Flushes each line first: what is read
 * comes from DRAM.
 */
bool chase_is_sound(const void *base, size_t bytes, enum chase_lines lines);

/*
 * Takes the lines of a chain of CHASE_LINE_A_PAGE out of all caches, and then into those of this
 * CPU: written (modified), beside the links, or only read, so that memory holds the same.
 */
void chase_hold(void *base, size_t bytes, bool modified);

/* Loads in one round of chase_run's loop. */
#define CHASE_STEPS 16

/*
 * Follows the chain from *cursor (at first: its base) for at least `steps` loads and leaves in
 * *cursor where it came to. Returns the loads done: steps, rounded up to CHASE_STEPS.
 */
uint64_t chase_run(void **cursor, uint64_t steps);
