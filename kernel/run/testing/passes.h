// SPDX-License-Identifier: MIT
/*
 * The memory tests of a run: passes of the chosen list, each test's march elements done by all CPUs
 * on their shares, one element after the other. Each test covers all memory except okram's own, and
 * then, when okram has moved, that.
 *
 * The folder: rounds.h repeats a test's rounds and does the elements of its march, relocation.h
 * moves okram between parts of a test, and does a part where it was; split_wait.h and
 * three_legs.h do two kinds of march in which okram moves during the march: those that wait twice,
 * and those that go up, down and up again.
 */
#pragma once

#include <stdint.h>

#include "verdict/diagnose.h"
#include "verdict/run_done.h"
#include "run/run.h"

/* Takes memory of the arena. Among the last before arena_close. */
void passes_prepare(uint32_t n_cpus);

/* How many passes end a run, and how many with faults; 0: any number. */
struct pass_limits {
    uint32_t passes, failed;
};

/*
 * Runs passes up to a limit or until stopped, and sends an event for each test. seed is the first
 * pass's for random data; each pass takes the next. After selection_make. The shares are those of
 * the main part, before and after.
 */
struct run_done passes_run(struct run *run, struct pass_limits limits, uint64_t seed);

/* retest.c: takes memory of the arena for the pages that are tested again. */
void retest_prepare(void);

/*
 * retest.c: tests the first bad pages again (sweep/page_retest.h), for 2 seconds at most, and sends
 * the results. If a test of the run waits, pages that do not fail again are also held for that
 * time, at most 2 seconds each with the data in which they were bad and with their complement. The
 * pages remain bad whatever the result. Ends at a stop, and does nothing after one: a person is
 * waiting. But tests=stability, which a stop ends, has no rate if a page is always bad: its pages
 * are tested again after a stop, too. Sends unsent events of faults first, and that of the kind of
 * fault last; done: the passes. ret_found: what a diagnosis can begin with. Boot CPU, all others
 * idle, after the last test.
 */
void retest_bad_pages(struct run *run, const struct run_done *done,
                      struct diagnose_found *ret_found);
