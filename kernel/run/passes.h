/*
 * The memory tests of a run: passes of the chosen list, each test's march elements done by all CPUs
 * on their shares, one element after the other.
 */
#pragma once

#include <stdint.h>

#include "options/options.h"

/*
 * Chooses the tests (tests=, march=) and the line operations (isa=; else those that sweep this
 * machine's memory fastest: a short measurement, in which memory's content is lost). What is wrong
 * with an option is told as a warning, and the default list is used. After plan_make.
 */
void passes_prepare(const struct options *options);

/* The line operations in use. */
const char *passes_isa(void);

/* Runs so many passes, 0: until stopped, and sends an event for each test. */
void passes_run(uint32_t passes);

uint32_t passes_completed(void);

/* Tests that have gone over all memory. */
uint32_t passes_tests_completed(void);
