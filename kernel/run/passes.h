/*
 * The memory tests of a run: passes of the chosen list, each test's march elements done by all CPUs
 * on their shares, one element after the other.
 */
#pragma once

#include <stdint.h>

/* The seed of the first pass's random data; each pass takes the next. After plan_make. */
void passes_prepare(uint64_t seed);

/* Runs so many passes, 0: until stopped, and sends an event for each test. */
void passes_run(uint32_t passes);

uint32_t passes_completed(void);

/* Tests that have gone over all memory. */
uint32_t passes_tests_completed(void);
