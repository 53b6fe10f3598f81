// SPDX-License-Identifier: MIT
/*
 * The memory tests of a run: passes of the chosen list, each test's march elements done by all CPUs
 * on their shares, one element after the other. Each test goes over all memory but okram's own, and
 * then, when okram has moved, over that.
 */
#pragma once

#include <stdint.h>

/*
 * Runs so many passes, 0: until stopped, and sends an event for each test. seed is the first pass's
 * for random data; each pass takes the next. After selection_make.
 */
void passes_run(uint32_t passes, uint64_t seed);

uint32_t passes_completed(void);

/* The number of the list's tests completed in the current pass. */
uint32_t passes_tests_ended(void);
