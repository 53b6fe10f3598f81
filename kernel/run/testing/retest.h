// SPDX-License-Identifier: MIT
/* Tests bad pages again after all tests. */
#pragma once

#include "verdict/diagnose.h"
#include "verdict/run_done.h"
#include "run/run.h"

/*
 * Tests the first bad pages again (sweep/page_retest.h), for 2 seconds at most, and sends the
 * results. If a test of the run waits, pages that do not fail again are also held for that time, at
 * most 2 seconds each with the data in which they were bad and with their complement. The pages
 * remain bad whatever the result. Ends at a stop, and does nothing after one: a person is waiting.
 * Sends unsent events of faults first, and that of the kind of fault last; done: the passes.
 * ret_found: what a diagnosis can begin with. Boot CPU, all others idle, after the last test.
 */
void retest_bad_pages(struct run *run, const struct run_done *done,
                      struct diagnose_found *ret_found);
