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

/* As the window of chase_build: the next line may be anywhere. */
#define CHASE_ANYWHERE 0

/*
 * Writes a chain over the lines of [base, base + bytes). base is line-aligned; bytes is a whole
 * number of lines, not 0. The same seed gives the same chain.
 *
 * With a window, a whole number of lines, the chain visits all lines of one window before it goes
 * on to another, in random order within and between them: a window of some pages keeps TLB misses
 * out of the figure where pages are small. With huge pages CHASE_ANYWHERE is the better choice, for
 * in a small window the prefetchers find something to guess.
 */
void chase_build(void *base, size_t bytes, size_t window_bytes, uint64_t seed);

/*
 * Whether each line of the chain holds the address of one of its lines: faulty memory may hold
 * others, and who followed the chain would come anywhere. Flushes each line first: what is read
 * comes from DRAM.
 */
bool chase_is_sound(const void *base, size_t bytes);

/* Loads in one round of chase_run's loop. */
#define CHASE_STEPS 16

/*
 * Follows the chain from *cursor (at first: its base) for at least `steps` loads and leaves in
 * *cursor where it came to. Returns the loads done: steps, rounded up to CHASE_STEPS.
 */
uint64_t chase_run(void **cursor, uint64_t steps);
