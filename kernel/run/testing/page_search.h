// SPDX-License-Identifier: MIT
/*
 * The page of a corrected error of memory whose bank does not give an address: after the round in
 * which it came, the slices that were swept then are written and read again, in halves, until one
 * page remains (mce/page_bisect.h). That page is bad. On AMD's scalable banks this is the only way
 * to a page at all.
 *
 * Errors that come while nothing is swept, as in measurements or in okram's own memory, are only
 * counted. Boot CPU only.
 */
#pragma once

#include "emit/reporter.h"
#include "plan/share.h"
#include "sweep/data.h"

/* Before the first test. */
void page_search_begin(void);

/*
 * After a round, no other CPU at work: searches for what has come in it, for a limited time. Memory
 * under test holds any data then. data: of the round; other data are noted in `external`. Lines
 * that somebody else may have written are kept there, too. Does nothing when the run is stopped.
 */
void page_search_run(const struct shares *shares, const struct data *data, struct test_place place);
