// SPDX-License-Identifier: MIT
/*
 * The page of a corrected error of memory whose bank does not give an address: after the round in
 * which it came, the slices that were swept then are written and read again, in halves, until one
 * page remains (mce/page_bisect.h). That page is bad. With AMD's scalable banks there is no other
 * way to find the page.
 *
 * Errors that come while nothing is swept, such as during measurements or from okram's own memory,
 * are only counted. Boot CPU only.
 */
#pragma once

#include "faults/reporter.h"
#include "sweep/data.h"

/* Before the first test. */
void page_search_begin(struct run *run);

/*
 * After a round, all other CPUs idle: searches for the pages of its errors, for a limited time.
 * Memory under test then holds any data. data: of the round; other data are noted in `external`.
 * Lines that a device or firmware may have written are kept there, too. Does nothing when the run
 * is stopped.
 */
void page_search_run(const struct data *data, struct test_place place);
